"use strict";
const $ = id => document.getElementById(id);
const kinds = {bundle: "the export", policy: "the policy", accepted: "accepted exports", checkpoint: "a checkpoint"};
const headings = {
  good: ["Good: the export is genuine and complete", "good"],
  tampered: ["NOT GENUINE: the export is damaged, was changed, or is one of two histories", "bad"],
  undecided: ["Not decided", "open"],
  "not-next": ["Genuine, but not the next export", "open"],
  none: ["Nothing was verified", "bad"],
};
const maximum = 1 << 30;
let files = {}, unknown = [], latest = 0;

// kindOf recognizes a file by its content.
async function kindOf(file) {
  const head = new Uint8Array(await file.slice(0, 4).arrayBuffer());
  if (head[0] === 0x50 && head[1] === 0x4b || file.name.toLowerCase().endsWith(".zip")) return "bundle";
  if (file.size > 64 << 20) return "";
  const text = await file.text();
  if (text.includes("\n\n\u2014 ")) return "checkpoint";
  if (/^\s*\{/.test(text) && text.includes('"accepted"')) return "accepted";
  if (/^(log|witness|quorum|#)/m.test(text) || /^[^\s+]+\+[0-9a-f]{8}\+\S+\s*$/.test(text)) return "policy";
  return "";
}

async function add(list) {
  for (const file of list) {
    const kind = await kindOf(file);
    if (kind) files[kind] = file; else unknown.push(file);
  }
  show();
}

function cells(...texts) {
  const row = document.createElement("tr");
  texts.forEach((text, i) => {
    const cell = document.createElement(i === 0 ? "th" : "td");
    if (i === 0) cell.scope = "row";
    cell.textContent = text;
    row.append(cell);
  });
  return row;
}

function show() {
  const rows = Object.keys(kinds).filter(k => files[k]).map(k => cells(kinds[k], files[k].name + ", " + files[k].size + " bytes"));
  unknown.forEach(f => rows.push(cells("not recognized", f.name)));
  $("chosen").replaceChildren(...(rows.length ? rows : [cells("none", "no file was chosen")]));
  $("verify").disabled = !files.bundle || !files.policy;
  $("result").hidden = true;
  latest++;
  $("status").textContent = files.bundle && !files.policy ? "The policy is missing." :
    files.policy && !files.bundle ? "The export is missing." : "";
}

const decode = id => Uint8Array.from(atob($(id).textContent), c => c.charCodeAt(0));

async function inflate(data) {
  return new Uint8Array(await new Response(new Blob([data]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer());
}

const bytes = async file => file ? new Uint8Array(await file.arrayBuffer()) : null;

// policyBytes reads a policy. A public key alone is a policy without a witness.
async function policyBytes(file) {
  const text = await file.text();
  return new TextEncoder().encode(/^\s*[^\s+]+\+[0-9a-f]{8}\+\S+\s*$/.test(text) ? "log " + text.trim() + "\nquorum none\n" : text);
}

function hex(buffer) { return Array.from(new Uint8Array(buffer), b => b.toString(16).padStart(2, "0")).join(""); }

async function verify() {
  const run = ++latest, begin = performance.now();
  $("verify").disabled = true;
  $("result").hidden = true;
  $("status").textContent = "Verifying. This takes some seconds.";
  let result, sum = "";
  try {
    if (files.bundle.size > maximum) throw new Error("the export has more than 1 GiB: use the program, audit verify");
    const bundle = await bytes(files.bundle);
    if (globalThis.crypto && crypto.subtle) sum = hex(await crypto.subtle.digest("SHA-256", bundle));
    const input = {
      name: files.bundle.name, bundle, policy: await policyBytes(files.policy),
      accepted: await bytes(files.accepted), checkpoint: await bytes(files.checkpoint), wasm: await inflate(decode("wasm")),
    };
    const url = URL.createObjectURL(new Blob([decode("worker")], {type: "text/javascript"}));
    const worker = new Worker(url);
    result = await new Promise(resolve => {
      worker.onmessage = e => resolve(e.data);
      worker.onerror = e => resolve({error: "the verification did not start: " + (e.message || "this browser refuses it")});
      worker.postMessage(input, [input.bundle.buffer, input.wasm.buffer]);
    });
    worker.terminate();
    URL.revokeObjectURL(url);
  } catch (error) {
    result = {error: error.message || String(error)};
  }
  if (run !== latest) return;
  $("verify").disabled = false;
  display(result, sum, (performance.now() - begin) / 1000);
}

function display(result, sum, seconds) {
  const [heading, tone] = headings[result.error ? "none" : result.verdict];
  $("verdict").textContent = heading;
  $("verdict").className = tone;
  $("message").textContent = result.error || result.message;
  const facts = [["File", files.bundle.name], ["SHA-256 of the file", sum]];
  if (result.origin) facts.push(["Log", result.origin]);
  if (result.property) facts.push(["Property", result.property], ["Gaming day", result.gaming_day], ["Export", result.export],
    ["Findings", result.findings], ["Amendments of earlier exports", result.amendments],
    ["Log after this export", result.log_size + " leaves, root " + result.log_root]);
  facts.push(["Verified", new Date().toISOString() + ", in " + seconds.toFixed(1) + " s, by release " + $("version").textContent]);
  $("facts").replaceChildren(...facts.filter(f => f[1] !== "").map(f => cells(...f)));
  $("checks").replaceChildren(...(result.checks || []).map(c => cells(c.check, c.skipped ? "not checked" : c.passed ? "passed" : "FAILED", c.detail)));
  $("save").hidden = $("saving").hidden = !result.accepted;
  $("save").onclick = () => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([result.accepted], {type: "application/json"}));
    link.download = "accepted.json";
    link.click();
  };
  $("result").hidden = false;
  $("status").textContent = "Result: " + heading + ".";
}

$("files").onchange = e => add(e.target.files);
$("verify").onclick = verify;
$("print").onclick = () => window.print();
$("clear").onclick = () => { files = {}; unknown = []; $("files").value = ""; show(); };
const drop = document.body;
drop.ondragover = e => { e.preventDefault(); $("drop").classList.add("over"); };
drop.ondragleave = () => $("drop").classList.remove("over");
drop.ondrop = e => { e.preventDefault(); $("drop").classList.remove("over"); add(e.dataTransfer.files); };
