//go:build unix

package console

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
)

// Triage from arrival to close by the keyboard alone, the second person included, while another finding
// arrives and moves nothing.
func TestTriageByKeyboard(t *testing.T) {
	s := emptyStore(t)
	fill(t, s, "ac-1", 8, 0)
	c := serve(t, s, nil)
	ann := openBrowser(t, c.url, 1440, 900)
	ann.signIn("ann", "operator")
	ann.open("/queue")
	ann.press("j")
	first := ask[string](ann, "document.activeElement.textContent")
	ann.press("j")
	ann.press("k")
	if got := ask[string](ann, "document.activeElement.textContent"); got != first {
		t.Errorf("j and k lead to %s, want %s", got, first)
	}
	// What arrives waits behind the bar; the line under the cursor stays where it is.
	before := ask[float64](ann, "document.activeElement.getBoundingClientRect().top")
	f := newTestFloor(t, s.Store)
	f.play(planted(t, "ac-2", "new-1", "draw.banker.must-stay"))
	ann.await("!document.querySelector('#newbar').hidden")
	if got := ask[string](ann, "document.activeElement.textContent"); got != first {
		t.Errorf("after an arrival the focus is on %s, want %s", got, first)
	}
	if after := ask[float64](ann, "document.activeElement.getBoundingClientRect().top"); after-before > 60 {
		t.Errorf("the line moved from %v to %v", before, after)
	}
	rows := ask[int](ann, "document.querySelectorAll('.queue tbody tr').length")
	ann.shoot("newbar")
	ann.press("n")
	ann.await(fmt.Sprintf("document.querySelectorAll('.queue tbody tr').length > %d", rows))
	if got := ask[string](ann, "document.activeElement.textContent"); got != first {
		t.Errorf("after n the focus is on %s, want %s", got, first)
	}

	ann.press("a")
	ann.await("document.querySelectorAll('.queue .state-acknowledged').length == 1")
	ann.open("/queue?state=acknowledged")
	ann.press("j")
	ann.press("\r")
	ann.do(chromedp.WaitVisible(chromedp.CSS(".finding")))
	ann.press("e")
	ann.await("document.querySelector('.head .state-escalated') != null")
	ann.press("c") // to the disposition
	ann.await("document.activeElement.id == 'disposition'")
	ann.press("confirmed d")
	ann.press("\t")
	ann.press("seen on video")
	ann.press("\t")
	ann.press("\r")
	ann.await("document.querySelector('.head .state-closing') != null")
	if n := ask[int](ann, "document.querySelectorAll('button[value=confirm]').length"); n != 0 {
		t.Error("an operator is offered to confirm")
	}
	ann.shoot("closing")
	path := ask[string](ann, "location.pathname")
	ann.quiet()

	bob := openBrowser(t, c.url, 1440, 900)
	bob.signIn("bob", "supervisor")
	bob.open(path)
	bob.click("button[value=confirm]")
	bob.await("document.querySelector('.head .state-closed') != null")
	bob.open("/queue?state=closed")
	bob.await("document.querySelectorAll('.rows tbody a').length == 1")
	bob.quiet()
}
