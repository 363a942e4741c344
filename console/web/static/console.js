// Optional script: keys, live updates and sound. Every page and every action works without it.
"use strict";
(() => {
  const $ = (selector, root = document) => root.querySelector(selector);
  const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];

  // Time. Ages use the clock of the server; skew is its difference to the local clock.
  let skew = 0;
  const ago = (ms) => {
    const s = Math.max(0, Math.floor((Date.now() + skew - ms) / 1000));
    if (s < 60) return s + " s";
    if (s < 3600) return Math.floor(s / 60) + " min";
    if (s < 172800) return Math.floor(s / 3600) + " h " + String(Math.floor(s / 60) % 60).padStart(2, "0");
    return Math.floor(s / 86400) + " days";
  };
  const now = $("#now");
  const zero = now ? Date.parse(now.dateTime) : 0;
  const began = Date.now();
  const shown = now ? now.textContent.split(/[: ]/) : [];
  const half = shown[3]; // AM or PM of a clock of 12 hours
  if (half) shown[0] = Number(shown[0]) % 12 + (half === "PM" ? 12 : 0);
  // A time of the local clock, as the clock of the page has it.
  const clock = (ms) => {
    const day = 86400;
    const passed = shown[0] * 3600 + shown[1] * 60 + Number(shown[2]) + Math.round((ms - began) / 1000);
    const t = (passed % day + day) % day;
    const parts = [t / 3600, t / 60 % 60, t % 60].map(Math.floor).map((n) => String(n).padStart(2, "0"));
    if (half) parts[0] = String(Number(parts[0]) % 12 || 12);
    return parts.join(":") + (half ? (t < day / 2 ? " AM" : " PM") : "");
  };
  const tick = () => {
    $$("[data-ago]").forEach((e) => { e.textContent = ago(Number(e.dataset.ago)); });
    if (now && zero) now.textContent = clock(Date.now());
  };
  if (zero) skew = zero - began;
  setInterval(tick, 1000);

  // The current row, on which the keys act.
  const rows = () => $$(".queue tbody tr[data-key], .rows tbody tr:has(a)");
  const link = (tr) => $(".rule a, a", tr);
  let at = null; // key of the current row
  const current = () => {
    const focused = document.activeElement && document.activeElement.closest("tr");
    if (focused && link(focused)) return focused;
    return at ? rows().find((tr) => tr.dataset.key === at) : null;
  };
  const height = (selector) => $$(selector).reduce((sum, e) => sum + e.offsetHeight, 0);
  const go = (tr) => {
    if (!tr) return;
    at = tr.dataset.key || null;
    link(tr).focus({preventScroll: true});
    count();
    // Not under the bars at the edges of the window.
    tr.style.scrollMargin = height(".top, .alerts > :not([hidden]), .newbar") + "px 0 " + height(".actions") + "px";
    tr.scrollIntoView({block: "nearest"});
  };
  const move = (by) => {
    const all = rows();
    const i = all.indexOf(current());
    go(all[i < 0 ? 0 : Math.min(all.length - 1, Math.max(0, i + by))]);
  };
  const selected = $("#selected");
  const boxes = () => $$(".queue input[name=key]:checked");
  const count = () => {
    if (!selected) return;
    const n = boxes().length;
    const tr = current();
    const hint = "Select with the boxes, or move with j k";
    selected.textContent = n ? n + " selected" : tr ? "on " + link(tr).textContent : hint;
  };
  document.addEventListener("change", count);

  // An action by key clicks the button of the page. It applies to the selected rows, or else to the current row.
  const act = (action) => {
    const form = $("#triage") || $("form.act");
    const button = form && $("button[name=step][value=" + action + "]", form);
    if (!button) return false;
    if (form.id === "triage" && !boxes().length) {
      const tr = current();
      const box = tr && $("input[name=key]", tr);
      if (!box) return false;
      box.checked = true;
    }
    if (action === "close" && !$("[name=disposition]", form).value) {
      count();
      $("[name=disposition]", form).focus();
      return true;
    }
    form.requestSubmit(button);
    return true;
  };

  const press = (selector) => { const e = $(selector); if (e) e.click(); };

  // The palette: a dialog over any page that lists what a text names while it is typed.
  const palette = $("#palette");
  const hits = $("#hits");
  const examples = hits ? hits.innerHTML : "";
  let typed = 0; // counts the changes of the text, so that an old answer is dropped
  const ask = () => {
    if (!palette) return;
    if (!palette.open) palette.showModal();
    $("input", palette).select();
  };
  const find = async (text) => {
    const n = ++typed;
    await new Promise((done) => setTimeout(done, 150));
    if (n !== typed) return;
    let found = null;
    try {
      const r = await fetch("/search?list=1&q=" + encodeURIComponent(text), {headers: {"Accept": "text/html"}});
      found = $("#found", new DOMParser().parseFromString(await r.text(), "text/html"));
    } catch (err) { /* Enter reports the failure */ }
    if (n === typed && found) hits.replaceChildren(found);
  };
  if (palette) {
    const input = $("input", palette);
    const links = () => [input, ...$$("a", hits)];
    input.addEventListener("input", () => {
      const text = input.value.trim();
      if (text) find(text);
      else { typed++; hits.innerHTML = examples; }
    });
    palette.addEventListener("keydown", (e) => {
      const by = {ArrowDown: 1, ArrowUp: -1}[e.key];
      if (!by) return;
      e.preventDefault();
      const all = links();
      all[(all.indexOf(document.activeElement) + by + all.length) % all.length].focus();
    });
    palette.addEventListener("click", (e) => { if (e.target === palette) palette.close(); });
  }

  // Once a key has opened another page or submitted a form, the keys that follow are meant for the next page and do
  // nothing here. A page that is not loaded, Escape or a click ends that.
  let leaving = false;
  const opens = (a) => // another page: neither a download nor a place of this page
    a.origin === location.origin && !a.hash && !/^\/exports\/|\/files\/|\.csv$/.test(a.pathname);
  // While the stream is broken, a link, a key or a form first asks whether the console answers. Otherwise the error page of
  // the browser would replace this page, and its keys and the text in its forms would be lost.
  let broken = false, unreached = false;
  const reach = async (go) => {
    try {
      const r = await fetch("/healthz", {cache: "no-store", redirect: "manual", signal: AbortSignal.timeout(3000)});
      if (r.status >= 502) throw new Error(String(r.status));
    } catch (err) {
      leaving = false;
      unreached = true;
      if (palette && palette.open) palette.close(); // it would cover the bar
      check();
      return;
    }
    broken = unreached = false;
    go();
  };
  document.addEventListener("click", (e) => {
    const a = e.target.closest && e.target.closest("a[href]");
    if (!broken || !a || e.ctrlKey || e.metaKey || e.shiftKey || e.altKey || a.target || a.origin !== location.origin ||
      a.getAttribute("href").startsWith("#")) return;
    e.preventDefault();
    reach(() => a.click());
  }, true);
  document.addEventListener("submit", (e) => {
    if (!broken) return;
    e.preventDefault();
    reach(() => e.target.requestSubmit(e.submitter));
  }, true);
  const leave = (to) => {
    leaving = true;
    const go = () => { location.href = to; };
    if (broken) reach(go); else go();
  };
  const follow = (a) => {
    if (!a) return;
    leaving = opens(a);
    a.click();
  };

  let g = -Infinity; // when g was pressed, whenever a busy page comes to it
  document.addEventListener("keydown", (e) => {
    if ((e.ctrlKey || e.metaKey) && !e.altKey && e.key === "k") { e.preventDefault(); ask(); return; }
    if (e.ctrlKey || e.metaKey || e.altKey || e.defaultPrevented || (palette && palette.open)) return;
    if (e.key === "Escape" && /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName)) { e.target.blur(); return; }
    if (/^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName) && e.target.type !== "checkbox") return;
    if (leaving) {
      if (e.key === "Escape") leaving = false;
      else if (e.key.length === 1 || e.key === "Enter") e.preventDefault();
      return;
    }
    if (e.key === "Enter" && !e.shiftKey && e.target.tagName === "A") leaving = opens(e.target);
    if (localStorage.getItem("shoeproof-keys") === "off") return;
    if (e.timeStamp - g < 1500) {
      g = -Infinity;
      const pages = {q: "/queue", f: "/floor", d: "/dealers", h: "/handover", s: "/silences", r: "/rates"};
      const to = pages[e.key];
      if (to) { e.preventDefault(); leave(to); return; }
    }
    const keys = {
      j: () => move(1), k: () => move(-1), n: () => show(),
      g: () => { g = e.timeStamp; }, u: () => leave("/queue"),
      z: () => press("#undo button"), a: () => act("acknowledge"), r: () => act("review"), e: () => act("escalate"), m: () => act("assign"),
      c: () => act("close"), "?": () => leave("/help"), "/": () => ask(),
      o: () => { const tr = current(); if (tr) follow(link(tr)); },
      v: () => press("#video"), "[": () => follow($("#previous")), "]": () => follow($("#next")),
      x: () => {
        const tr = current();
        const box = tr && $("input[name=key]", tr);
        if (box) { box.checked = !box.checked; count(); }
      },
    };
    if (keys[e.key]) { keys[e.key](); e.preventDefault(); }
  });

  document.addEventListener("pointerdown", () => { leaving = false; });
  if (window.navigation) navigation.addEventListener("navigateerror", () => { leaving = false; }); // stopped otherwise

  // Single keys can be switched off: they disturb speech input.
  const single = $("#keys");
  if (single) {
    const show = () => {
      const on = localStorage.getItem("shoeproof-keys") !== "off";
      single.setAttribute("aria-pressed", String(on));
      single.textContent = on ? "Single keys on" : "Single keys off";
    };
    single.hidden = false;
    single.addEventListener("click", () => {
      localStorage.setItem("shoeproof-keys", single.getAttribute("aria-pressed") === "true" ? "off" : "on");
      show();
    });
    show();
  }

  // The focus after an action: the same row, or the row that took its place; on the page of a finding, the report.
  const done = $("#done");
  const kept = JSON.parse(sessionStorage.getItem("shoeproof-focus") || "null");
  sessionStorage.removeItem("shoeproof-focus");
  document.addEventListener("submit", (e) => {
    if (e.target.id !== "triage" && !e.target.matches(".act, #undo")) return;
    const all = rows(), tr = current() || (boxes()[0] && boxes()[0].closest("tr"));
    const i = tr ? all.indexOf(tr) : -1;
    const from = {here: location.pathname + location.search, fp: tr && tr.dataset.fp, href: tr && link(tr).href, i};
    sessionStorage.setItem("shoeproof-focus", JSON.stringify(from));
    leaving = !e.defaultPrevented;
  });
  if (kept && kept.here === location.pathname + location.search) {
    const all = rows();
    const tr = kept.i < 0 || !$(".queue") ? null :
      all.find((r) => link(r).href === kept.href) || all[Math.min(kept.i, all.length - 1)];
    if (tr) go(tr);
    else if (done) done.focus();
  }

  // What was typed into a form that the console refused is in the form again when the reader returns to it.
  const refused = "shoeproof-refused";
  const forms = () => $$("form[method=post]:not(.door *)");
  const fields = (form) => $$("input:not([type=hidden], [type=password], [type=file], [type=checkbox]), textarea, select", form);
  document.addEventListener("submit", (e) => {
    const n = forms().indexOf(e.target);
    if (n < 0) return;
    const sent = {here: location.pathname + location.search, n, values: fields(e.target).map((x) => x.value)};
    sessionStorage.setItem(refused, JSON.stringify(sent));
  });
  const sent = JSON.parse(sessionStorage.getItem(refused) || "null");
  if (sent && document.body.classList.contains("page-error")) {
    sessionStorage.setItem(refused, JSON.stringify({...sent, refused: true}));
  } else if (sent && !$(".door")) { // on the page to sign in, it waits
    sessionStorage.removeItem(refused);
    const form = sent.refused && sent.here === location.pathname + location.search && forms()[sent.n];
    const into = form ? fields(form) : [];
    if (into.length === sent.values.length) into.forEach((x, i) => { x.value = sent.values[i]; });
  }

  // The button to undo goes when its minute has passed by the clock: a timer stands still while the computer sleeps.
  const undo = $("#undo");
  const expire = () => {
    if (!undo || !undo.isConnected || Date.now() + skew < Number(undo.dataset.until)) return;
    if (undo.contains(document.activeElement)) done.focus();
    undo.remove();
  };
  expire();
  setInterval(expire, 1000);
  for (const event of ["visibilitychange", "keydown", "pointerdown"]) document.addEventListener(event, expire, true);

  // The next and the previous finding of the list from which a finding was opened, also when it is closed meanwhile.
  const listed = "shoeproof-list";
  document.addEventListener("click", (e) => {
    const a = e.target.closest && e.target.closest("#main a[href^='/findings/']");
    if (!a || a.closest("#pager")) return;
    const all = [...new Set($$("#main a[href^='/findings/']").map((x) => x.getAttribute("href")))];
    sessionStorage.setItem(listed, JSON.stringify(all));
  });
  const pager = $("#pager");
  if (pager) {
    const all = JSON.parse(sessionStorage.getItem(listed) || "[]");
    const i = all.indexOf(location.pathname);
    if (i >= 0 && all.length > 1) {
      pager.hidden = false;
      $("span", pager).textContent = (i + 1) + " of " + all.length;
      for (const [id, to] of [["#previous", all[i - 1]], ["#next", all[i + 1]]]) {
        if (to) $(id).href = to;
        else $(id).remove();
      }
    }
  }

  // Changes of the queue. Rows never move by themselves: a bar shows the number of new and changed rows.
  const live = $("#live");
  const newbar = $("#newbar");
  let pending = null; // the page with the changes
  const states = (root) =>
    new Map($$("tr[data-key]", root).map((tr) => [tr.dataset.fp + tr.dataset.state, tr.dataset.count]));
  const load = async () => {
    const headers = {"X-Refresh": "1", "Accept": "text/html"};
    const signal = AbortSignal.timeout(15000);
    const r = await fetch(location.href, {headers, cache: "no-store", redirect: "error", signal});
    if (!r.ok) throw new Error(String(r.status));
    return new DOMParser().parseFromString(await r.text(), "text/html");
  };
  const swap = (page) => {
    const next = $("#live", page);
    if (!next) return;
    const tr = current();
    const key = tr && tr.dataset.key;
    const href = document.activeElement && document.activeElement.getAttribute("href");
    const checked = new Set(boxes().map((b) => b.closest("tr").dataset.fp));
    const before = states(live);
    const top = window.scrollY;
    live.replaceChildren(...next.childNodes);
    $$("tr[data-key]", live).forEach((tr) => {
      if (checked.has(tr.dataset.fp)) { const b = $("input[name=key]", tr); if (b) b.checked = true; }
      if (!before.has(tr.dataset.fp + tr.dataset.state)) tr.classList.add("fresh");
    });
    const counts = $(".counts", page);
    if (counts && $(".counts")) $(".counts").replaceWith(counts);
    window.scrollTo(0, top);
    const back = key ? $$("tr[data-key]", live).find((tr) => tr.dataset.key === key) : null;
    const a = back ? link(back) : href && $$("a", live).find((x) => x.getAttribute("href") === href);
    if (a) a.focus({preventScroll: true});
    tick();
  };
  const show = () => {
    if (!pending) return;
    swap(pending);
    pending = null;
    newbar.hidden = true;
    document.title = document.title.replace(/^\(\d+\) /, "");
  };
  if ($("#shownew")) $("#shownew").addEventListener("click", show);
  let busy = false, again = false;
  let failing = 0; // since when this page could not be refreshed
  const refresh = async () => {
    if (!live || document.hidden) { again = true; return; }
    if (busy) { again = true; return; }
    busy = true; again = false;
    try {
      const page = await load();
      if (live.dataset.live === "swap") swap(page);
      else {
        const old = states(live), next = states($("#live", page));
        let fresh = 0, changed = 0;
        next.forEach((n, key) => {
          const before = Number(old.get(key) || 0);
          if (Number(n) > before) fresh += Number(n) - before; // also one more of a group
          else if (Number(n) !== before) changed++;
        });
        old.forEach((_, key) => { if (!next.has(key)) changed++; });
        if (fresh + changed) {
          pending = page;
          const parts = [fresh ? fresh + " new" : "", changed ? changed + " changed" : ""];
          $("#shownew").textContent = parts.filter(Boolean).join(", ") + ": show (n)";
          newbar.hidden = false;
          document.title = (fresh ? "(" + fresh + ") " : "") + document.title.replace(/^\(\d+\) /, "");
        }
      }
      failing = 0;
    } catch (err) { failing = failing || Date.now(); }
    busy = false;
    if (again) setTimeout(refresh, 500);
  };
  document.addEventListener("visibilitychange", () => { if (!document.hidden && again) refresh(); });
  if (live && live.dataset.every) setInterval(refresh, 1000 * Number(live.dataset.every));

  // The event stream, and the badge with its state. The banner says across the whole width when what the page shows may
  // be old: no sign of life for 25 s, a console that cannot read the database, a session that has ended.
  const badge = $("#link");
  const stale = $("#stale");
  const limit = 25000;
  const state = (s, text) => { if (badge) { badge.dataset.state = s; $("span", badge).textContent = text; } };
  let freshAt = Date.now(); // the time of the newest data that the console is known to have
  let signedOut = false, stream = null;
  // The changes of the queue that this page has: those before it was rendered, then those that a sign of life brought.
  // Other numbers are changes that it missed, as while the stream was being connected. A console that starts counts from 0.
  let known = badge ? {of: badge.dataset.of, rows: Number(badge.dataset.rows), critical: Number(badge.dataset.critical),
    until: Number(badge.dataset.until)} : {};
  // The page before it in this tab may have been left before its stream brought a critical finding. The queue shows all.
  const inQueue = location.pathname === "/queue"; // it has its own bar, and no row of it may move
  const keep = () => sessionStorage.setItem("shoeproof-known", JSON.stringify(known));
  const left = JSON.parse(sessionStorage.getItem("shoeproof-known") || "{}");
  if (!inQueue && left.of === known.of) known.critical = Math.min(known.critical, left.critical);
  // Another console counted for the page before, or this one started again: it says what came since its last sign.
  let stranger = !inQueue && Boolean(left.until) && left.of !== known.of;
  if (stranger) known.until = left.until;
  if (known.of) keep();
  const banner = (text) => {
    if (!stale || stale.dataset.text === text) return;
    stale.dataset.text = text;
    stale.hidden = !text;
    stale.textContent = text;
    if (!text || !signedOut) return;
    const a = document.createElement("a");
    a.href = "/sign-in?next=" + encodeURIComponent(location.pathname + location.search);
    a.textContent = "Sign in";
    stale.append(" ", a);
  };
  const check = () => {
    const silent = Date.now() - Math.min(freshAt, failing || freshAt);
    const lost = unreached ? " The console does not answer: this page stays until it does." : "";
    if (silent > limit) broken = true;
    if (signedOut) banner("You are signed out. This screen is stale since " + clock(freshAt) + ".");
    else if (silent > limit) {
      banner("This screen is stale since " + clock(Date.now() - silent) + ". No current data from the console." + lost);
    } else banner(lost.trim());
    if (signedOut) state("late", "signed out");
    else if (silent > limit) state("late", "no update for " + Math.round(silent / 1000) + " s");
    $$(".tile[data-received]").forEach((tile) => {
      const age = Date.now() + skew - Number(tile.dataset.received);
      if (age < 120000 || !/feed-(live|slow)/.test(tile.className)) return;
      tile.className = tile.className.replace(/feed-(live|slow)/, "feed-stale");
      $(".feedword", tile).textContent = "✕ NO FEED since " + clock(Number(tile.dataset.received) - skew);
    });
  };
  // A beat that brings fresh data after a gap, or after a fetch that failed, shows what was missed.
  const receive = (e) => {
    const data = JSON.parse(e.data), before = known;
    const told = "missed" in data;
    if (data.of !== before.of) stranger = true;
    known = {...data, until: stranger && !told ? before.until : data.until || before.until};
    keep();
    skew = data.now - Date.now();
    signedOut = broken = unreached = false;
    const gap = Date.now() - freshAt > limit;
    freshAt = Math.max(freshAt, Date.now() - (data.age || 0));
    const fresh = Date.now() - freshAt < limit;
    if (fresh) state("on", "live");
    check();
    if (stranger && told) {
      stranger = false;
      if (data.missed) alarmMissed(data.missed);
    } else if (data.of === before.of && data.critical > before.critical) alarm(before);
    if (data.of !== before.of || data.rows !== before.rows || gap && fresh || failing) refresh();
  };
  const connect = () => {
    stream = new EventSource("/live?after=" + (known.until || ""));
    for (const event of ["beat", "change"]) stream.addEventListener(event, receive);
    stream.addEventListener("error", () => {
      broken = true;
      if (!signedOut) state("late", "reconnecting");
      // The browser reconnects after a broken connection, but not after a refusal.
      if (stream.readyState === EventSource.CLOSED) setTimeout(probe, 3000);
    });
  };
  const probe = async () => {
    const stop = new AbortController();
    const late = setTimeout(() => stop.abort(), 10000);
    let wait = 5000;
    try {
      const r = await fetch("/live", {headers: {"Accept": "text/event-stream"}, cache: "no-store", signal: stop.signal});
      signedOut = r.status === 401 || r.status === 403;
      wait = 1000 * Number(r.headers.get("Retry-After") || 5);
      if (r.ok) wait = 0;
    } catch (err) { /* the console does not answer: try again */ }
    clearTimeout(late);
    stop.abort();
    check();
    if (wait) setTimeout(probe, wait);
    else connect();
  };
  if (badge && window.EventSource) {
    connect();
    setInterval(check, 1000);
    addEventListener("pagehide", () => stream.close());
    addEventListener("pageshow", (e) => { if (e.persisted) location.reload(); });
  }

  // New critical findings: a bar on every page until the queue is opened, a count in the title, another icon, a tone. The
  // pages of a browser count together: what is stored says until which change of the queue one of them has counted.
  const critbar = $("#critbar");
  const criticals = "shoeproof-criticals";
  const counted = () => JSON.parse(localStorage.getItem(criticals) || "{}");
  const store = (n) => localStorage.setItem(criticals, JSON.stringify({of: known.of, critical: known.critical, n}));
  const showCriticals = () => {
    const n = inQueue ? 0 : counted().n || 0;
    if (!critbar) return;
    critbar.hidden = !n;
    $("a", critbar).textContent = "◆ " + n + " new critical finding" + (n > 1 ? "s" : "") + ": open";
    document.title = (n ? "◆" + n + " " : "") + document.title.replace(/^◆\d+ /, "");
    const icon = $("#icon");
    icon.dataset.plain = icon.dataset.plain || icon.getAttribute("href");
    icon.setAttribute("href", n ? icon.dataset.alarm : icon.dataset.plain);
  };
  function alarm(before) {
    const other = counted();
    const from = other.of === known.of ? Math.max(other.critical, before.critical) : before.critical;
    if (!inQueue && known.critical > from) store((other.n || 0) + known.critical - from);
    showCriticals();
    tone();
  }
  function alarmMissed(missed) {
    const other = counted();
    if (!inQueue && other.of !== known.of) store((other.n || 0) + missed);
    showCriticals();
    tone();
  }
  if (inQueue) store(0);
  addEventListener("storage", showCriticals);
  showCriticals();

  $$("[data-print]").forEach((b) => {
    b.hidden = false;
    b.addEventListener("click", () => print());
  });

  $$("[data-copy]").forEach((b) => {
    b.hidden = false;
    b.addEventListener("click", async () => {
      await navigator.clipboard.writeText($(b.dataset.copy).textContent);
      b.textContent = "Copied";
    });
  });

  // A short tone for critical findings, if the user turns it on, at most one in ten seconds. The choice is kept in this
  // browser. A browser plays no sound on a page before its first click or key.
  const sound = $("#sound");
  let audio = null, last = 0;
  const pressed = () => sound.getAttribute("aria-pressed") === "true";
  const label = () => {
    const waits = pressed() && (!audio || audio.state !== "running");
    sound.textContent = !pressed() ? "Sound off" : waits ? "♪ Sound on after a click" : "♪ Sound on";
  };
  const wake = async () => {
    if (!pressed()) return;
    audio = audio || new AudioContext();
    await audio.resume();
    label();
  };
  if (sound) {
    sound.hidden = false;
    sound.setAttribute("aria-pressed", String(localStorage.getItem("shoeproof-sound") === "on"));
    label();
    for (const event of ["pointerdown", "keydown"]) addEventListener(event, wake, {once: true});
    sound.addEventListener("click", async () => {
      const on = !pressed();
      sound.setAttribute("aria-pressed", String(on));
      localStorage.setItem("shoeproof-sound", on ? "on" : "off");
      if (on) { await wake(); last = 0; tone(); }
      label();
    });
  }
  function tone() {
    if (!audio || !pressed() || Date.now() - last < 10000) return;
    last = Date.now();
    const o = audio.createOscillator(), v = audio.createGain();
    o.frequency.value = 660;
    v.gain.setValueAtTime(0.12, audio.currentTime);
    v.gain.exponentialRampToValueAtTime(0.001, audio.currentTime + 0.25);
    o.connect(v).connect(audio.destination);
    o.start();
    o.stop(audio.currentTime + 0.25);
  }
})();
