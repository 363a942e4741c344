// Everything here is comfort: each page reads, and each step can be taken, without it.
"use strict";
(() => {
  const $ = (selector, root = document) => root.querySelector(selector);
  const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];

  // Time. The server's clock counts, not this machine's.
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
  const shown = now ? now.textContent.split(":").map(Number) : [];
  const tick = () => {
    $$("[data-ago]").forEach((e) => { e.textContent = ago(Number(e.dataset.ago)); });
    if (!now || !zero) return;
    const t = (shown[0] * 3600 + shown[1] * 60 + shown[2] + Math.round((Date.now() - began) / 1000)) % 86400;
    now.textContent = [t / 3600, t / 60 % 60, t % 60].map((n) => String(Math.floor(n)).padStart(2, "0")).join(":");
  };
  if (zero) skew = zero - began;
  setInterval(tick, 1000);

  // The line that the keys act on.
  const lines = () => $$(".queue tbody tr[data-key], .rows tbody tr:has(a)");
  const link = (tr) => $(".rule a, a", tr);
  let at = null; // key of the line
  const here = () => {
    const focused = document.activeElement && document.activeElement.closest("tr");
    if (focused && link(focused)) return focused;
    return at ? lines().find((tr) => tr.dataset.key === at) : null;
  };
  const go = (tr) => {
    if (!tr) return;
    at = tr.dataset.key || null;
    link(tr).focus({preventScroll: true});
    tr.scrollIntoView({block: "nearest"});
    count();
  };
  const move = (by) => {
    const all = lines();
    const i = all.indexOf(here());
    go(all[i < 0 ? 0 : Math.min(all.length - 1, Math.max(0, i + by))]);
  };
  const chosen = $("#chosen");
  const boxes = () => $$(".queue input[name=key]:checked");
  const count = () => {
    if (!chosen) return;
    const n = boxes().length;
    const tr = here();
    chosen.textContent = n ? n + " chosen" : tr ? "on " + link(tr).textContent : "Choose with the boxes, or move with j k";
  };
  document.addEventListener("change", count);

  // A step from the keyboard is the button of the page, on what is chosen or else on the line.
  const take = (step) => {
    const form = $("#triage") || $("form.act");
    const button = form && $("button[name=step][value=" + step + "]", form);
    if (!button) return false;
    if (form.id === "triage" && !boxes().length) {
      const tr = here();
      const box = tr && $("input[name=key]", tr);
      if (!box) return false;
      box.checked = true;
    }
    if (step === "close" && !$("[name=disposition]", form).value) {
      count();
      $("[name=disposition]", form).focus();
      return true;
    }
    form.requestSubmit(button);
    return true;
  };

  let g = 0;
  document.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || e.defaultPrevented) return;
    if (e.key === "Escape" && /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName)) { e.target.blur(); return; }
    if (/^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName) && e.target.type !== "checkbox") return;
    if (Date.now() - g < 1200) {
      g = 0;
      const to = {q: "/queue", f: "/floor", d: "/dealers", h: "/handover", s: "/shelves", r: "/rates"}[e.key];
      if (to) { e.preventDefault(); location.href = to; return; }
    }
    const keys = {
      j: () => move(1), k: () => move(-1), g: () => { g = Date.now(); }, n: () => show(), u: () => { location.href = "/queue"; },
      a: () => take("acknowledge"), r: () => take("review"), e: () => take("escalate"), m: () => take("assign"), c: () => take("close"),
      o: () => { const tr = here(); if (tr) link(tr).click(); },
      x: () => { const tr = here(); const box = tr && $("input[name=key]", tr); if (box) { box.checked = !box.checked; count(); } },
      v: () => { const v = $("#video"); if (v) v.click(); }, "/": () => $(".search input").focus(), "?": () => { location.href = "/help"; },
    };
    if (keys[e.key]) { keys[e.key](); e.preventDefault(); }
  });

  // What is new. Lines never move by themselves: a bar says how many there are.
  const live = $("#live");
  const newbar = $("#newbar");
  let waiting = null;
  const states = (root) => new Map($$("tr[data-key]", root).map((tr) => [tr.dataset.fp + tr.dataset.state, tr.dataset.count]));
  const fetched = async () => {
    const r = await fetch(location.href, {headers: {"X-Refresh": "1", "Accept": "text/html"}, cache: "no-store", redirect: "error"});
    if (!r.ok) throw new Error(String(r.status));
    return new DOMParser().parseFromString(await r.text(), "text/html");
  };
  const swap = (page, root) => {
    const next = $("#live", page);
    if (!next) return;
    const keep = here();
    const key = keep && keep.dataset.key;
    const href = document.activeElement && document.activeElement.getAttribute("href");
    const picked = new Set(boxes().map((b) => b.closest("tr").dataset.fp));
    const before = states(live);
    const top = window.scrollY;
    live.replaceChildren(...next.childNodes);
    $$("tr[data-key]", live).forEach((tr) => {
      if (picked.has(tr.dataset.fp)) { const b = $("input[name=key]", tr); if (b) b.checked = true; }
      if (!before.has(tr.dataset.fp + tr.dataset.state)) tr.classList.add("fresh");
    });
    const counts = $(".counts", page);
    if (counts && $(".counts")) $(".counts").replaceWith(counts);
    window.scrollTo(0, top);
    const back = key ? $$("tr[data-key]", live).find((tr) => tr.dataset.key === key) : null;
    if (back) link(back).focus({preventScroll: true});
    else if (href) { const a = $$("a", live).find((x) => x.getAttribute("href") === href); if (a) a.focus({preventScroll: true}); }
    tick();
  };
  const show = () => {
    if (!waiting) return;
    swap(waiting);
    waiting = null;
    newbar.hidden = true;
    document.title = document.title.replace(/^\(\d+\) /, "");
  };
  if ($("#shownew")) $("#shownew").addEventListener("click", show);
  let busy = false, again = false;
  const refresh = async () => {
    if (!live || document.hidden) { again = true; return; }
    if (busy) { again = true; return; }
    busy = true; again = false;
    try {
      const page = await fetched();
      if (live.dataset.live === "swap") swap(page);
      else {
        const old = states(live), next = states($("#live", page));
        let fresh = 0, changed = 0;
        next.forEach((n, key) => { if (!old.has(key)) fresh++; else if (old.get(key) !== n) changed++; });
        old.forEach((_, key) => { if (!next.has(key)) changed++; });
        if (fresh + changed) {
          waiting = page;
          $("#shownew").textContent = [fresh ? fresh + " new" : "", changed ? changed + " changed" : ""].filter(Boolean).join(", ") + ": show (n)";
          newbar.hidden = false;
          document.title = (fresh ? "(" + fresh + ") " : "") + document.title.replace(/^\(\d+\) /, "");
        }
      }
    } catch (err) { state("late", "not refreshed"); }
    busy = false;
    if (again) setTimeout(refresh, 500);
  };
  document.addEventListener("visibilitychange", () => { if (!document.hidden && again) refresh(); });
  if (live && live.dataset.every) setInterval(refresh, 1000 * Number(live.dataset.every));

  // The stream, and whether it still speaks.
  const badge = $("#link");
  const state = (s, text) => { if (badge) { badge.dataset.state = s; $("span", badge).textContent = text; } };
  let heard = 0;
  if (badge && window.EventSource) {
    const stream = new EventSource("/live");
    const hear = (e) => { heard = Date.now(); state("on", "live"); return JSON.parse(e.data); };
    stream.addEventListener("beat", (e) => { skew = hear(e).now - Date.now(); });
    stream.addEventListener("change", (e) => { const c = hear(e); if (c.critical) tone(); refresh(); });
    stream.addEventListener("error", () => state("late", "reconnecting"));
    setInterval(() => { if (heard && Date.now() - heard > 25000) state("late", "no word for " + Math.round((Date.now() - heard) / 1000) + " s"); }, 1000);
    addEventListener("pagehide", () => stream.close());
  }

  // One short tone for critical findings, for those who ask for it, at most one in ten seconds.
  const sound = $("#sound");
  let audio = null, last = 0;
  const label = () => { sound.textContent = sound.getAttribute("aria-pressed") === "true" ? "♪ Sound on" : "Sound off"; };
  if (sound) {
    sound.hidden = false;
    sound.addEventListener("click", () => {
      const on = sound.getAttribute("aria-pressed") !== "true";
      sound.setAttribute("aria-pressed", String(on));
      if (on) { audio = audio || new AudioContext(); last = 0; tone(); }
      label();
    });
  }
  function tone() {
    if (!audio || sound.getAttribute("aria-pressed") !== "true" || Date.now() - last < 10000) return;
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
