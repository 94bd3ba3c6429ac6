// What pages do beyond forms, links and htmx: keys, ranges of rows, countdowns, copying.
import { install, uninstall } from "./vendor/hotkey-3.1.4.js";

const $ = (what, within = document) => within.querySelector(what);
const all = (what, within = document) => [...within.querySelectorAll(what)];

// Keys: an element with data-hotkey is clicked or focused; the library leaves fields alone.
const hotkeys = (within) => (within.matches?.("[data-hotkey]") ? [within] : []).concat(all("[data-hotkey]", within));
addEventListener("htmx:afterSwap", (event) => hotkeys(event.target).forEach((each) => install(each)));
addEventListener("htmx:beforeSwap", (event) => {
  // A session that ended answers with the sign-in page, which is no part of this one.
  if (event.detail.xhr.responseURL && new URL(event.detail.xhr.responseURL).pathname === "/sign-in") location.reload();
  hotkeys(event.detail.target).forEach((each) => uninstall(each));
});
// What was done a moment ago can be undone, and what could not be saved can be tried again.
const toast = (text, label, deed) => {
  $(".toast.told")?.remove();
  const told = Object.assign(document.createElement("div"), { className: "toast told noprint", role: "status", textContent: text });
  const button = Object.assign(document.createElement("button"), { type: "button", className: "quiet", textContent: label });
  button.addEventListener("click", () => (told.remove(), deed()));
  told.append(button);
  $("main").append(told);
};
const lost = "Not saved: there is no connection.";
const starOf = (name) => $(`.star[value="${CSS.escape(name)}"]`);
// The star that was pressed is no longer on the page when its answer has come.
addEventListener("htmx:afterRequest", ({ detail: { requestConfig, successful } }) => {
  const { elt } = requestConfig;
  if (!successful || !elt.matches(".star")) return;
  const follows = elt.name === "follow";
  toast(follows ? `You follow ${elt.value}.` : `You no longer follow ${elt.value}.`, "Undo", () => starOf(elt.value)?.click());
});
addEventListener("htmx:sendError", ({ detail: { elt } }) => elt.matches(".star") && toast(lost, "Try again", () => starOf(elt.value)?.click()));
// What takes back what a form does: what was done in words, where that is sent, with which fields. Nothing takes back most.
const inverse = (form, button) => {
  const path = new URL(button?.getAttribute("formaction") ?? form.getAttribute("action") ?? "", location.href).pathname;
  const sent = new FormData(form, button);
  const names = sent.getAll("d").flatMap((text) => text.split(","));
  const chosen = names.map((name) => ["d", name]);
  const those = names.length === 1 ? names[0] : `${names.length} domains`;
  const back = (said, fields, to = path) => ({ said, path: to, fields });
  const followed = (name) => back(`You follow ${name}.`, [], `/domains/${name}/unwatch`);
  const left = (name) => back(`You no longer follow ${name}.`, [["any", "1"]], `/domains/${name}/watch`);
  const [flip, tag, deed, follow, unfollow] = ["flip", "tag", "do", "follow", "unfollow"].map((name) => sent.get(name));
  if (path === "/tags" && flip) return back(`${those}: ${button.ariaPressed === "true" ? "no longer" : "marked as"} “${flip}”.`, [...chosen, ["flip", flip]]);
  if (path === "/tags" && tag && deed === "remove") return back(`“${tag}” is off ${those}.`, [...chosen, ["tag", tag]]);
  if (path === "/tags" && tag && names.length) return back(`${those}: tagged “${tag}”.`, [...chosen, ["tag", tag], ["do", "remove"]]);
  if (path === "/domains/pick" && deed === "follow") return back(`You follow ${those}.`, [...chosen, ["do", "unfollow"]]);
  if (path === "/domains/pick" && (follow || unfollow)) return follow ? followed(follow) : left(unfollow);
  const [, name, change] = path.match(/^\/domains\/([^/]+)\/(watch|unwatch)$/) ?? [];
  return name && (change === "watch" ? followed(name) : left(name));
};
addEventListener("submit", (event) => {
  const { target: form, submitter } = event;
  if (form.method !== "post" || event.defaultPrevented) return;
  if (!navigator.onLine) {
    event.preventDefault();
    toast(lost, "Try again", () => form.requestSubmit(submitter));
    return;
  }
  const back = inverse(form, submitter);
  if (back) sessionStorage.setItem("undo", JSON.stringify(back));
});
// Only a page that such a form led to says so: one that could not be sent leads nowhere.
const undone = sessionStorage.getItem("undo");
sessionStorage.removeItem("undo");
if (undone && performance.getEntriesByType("navigation")[0]?.redirectCount) {
  const { said, path, fields } = JSON.parse(undone);
  toast(said, "Undo", () => {
    const form = Object.assign(document.createElement("form"), { method: "post", action: path, hidden: true });
    for (const [name, value] of [...fields, ["back", location.pathname + location.search], ["csrf", $("[name=csrf]").value]]) {
      form.append(Object.assign(document.createElement("input"), { name, value }));
    }
    document.body.append(form);
    form.requestSubmit();
  });
}
// The browser's time zone: a new account takes it, an older one is asked about it once.
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone ?? "";
for (const field of all("[data-zone]")) field.value = zone;
const asks = $("#zone");
if (asks && zone.includes("/") && !zone.startsWith("Etc/") && !localStorage.getItem("zone asked")) {
  $("span", asks).textContent = zone.split("/").at(-1).replaceAll("_", " ");
  asks.hidden = false;
  asks.addEventListener("click", ({ target }) => {
    if (!target.matches("button")) return;
    localStorage.setItem("zone asked", "1");
    asks.hidden = target.type === "button";
  });
}
// What was refused is sent once more as a plain form, whose answer says why.
addEventListener("htmx:responseError", ({ detail }) => detail.elt.matches(".star") && detail.elt.form.requestSubmit(detail.elt));
hotkeys(document.body).forEach((each) => install(each));

// Countdowns.
const long = (days, hours, minutes) => (days > 1 ? `${days} days` : hours ? `${hours} h ${minutes} min` : `${minutes} min`);
const short = (days, hours, minutes, past) => {
  if (days >= 3 || (past && days)) return `${days} d`;
  if (days) return hours % 24 ? `${days} d ${hours % 24} h` : `${days} d`;
  return hours >= 6 ? `${hours} h` : hours ? `${hours} h ${minutes} m` : `${minutes} m`;
};
const tick = () => {
  for (const mark of all("time[data-countdown]")) {
    const gap = Date.parse(mark.dateTime) - Date.now();
    const minutes = Math.floor(Math.abs(gap) / 60000);
    const parts = [Math.floor(minutes / 1440), Math.floor(minutes / 60), minutes % 60];
    const brief = mark.dataset.countdown === "short";
    const text = brief ? short(...parts, gap < 0) : long(...parts);
    const open = gap < 0 && Date.parse(mark.dataset.until) > Date.now(); // the drop runs
    const said = open ? (mark.dataset.open ?? (brief ? "now" : "dropping now")) : gap < 0 ? `${text} ago` : brief ? text : `in ${text}`;
    if (mark.textContent !== said) mark.textContent = said;
  }
};
tick();
setInterval(tick, 30000);

for (const here of all(".sub [aria-current], .docs nav [aria-current], .tabs [aria-current]")) {
  const row = here.closest("ul, .tabs");
  if (row.scrollWidth > row.clientWidth) row.scrollLeft = here.offsetLeft - row.clientWidth / 3;
}

// A list: the row at work is the one whose link has, or last had, the focus.
const rows = () => all(".hunt tbody tr");
const boxes = () => all(".hunt tbody .c-sel input");
let last = null;
const at = () => (last?.isConnected ? last : (last = $(".hunt tr.is-open")));
const go = (step) => {
  const list = rows();
  const next = list[at() ? list.indexOf(at()) + step : 0];
  if (!next) return;
  $(".name", next).focus();
  if ($("#panel")?.children.length) $(".name", next).click();
};
const deeds = {
  next: () => go(1),
  previous: () => go(-1),
  select: () => (at() ?? (go(1), at())) && $(".c-sel input", at()).click(),
  open: () => at() && location.assign(`/domains/${$(".c-sel input", at()).value}`),
  follow: () => {
    const many = boxes().some((box) => box.checked);
    (many ? $(".picked [value=follow]") : at() && $(".star", at()))?.click();
  },
  // With nothing selected, the first three are compared.
  compare: () => boxes().some((box) => box.checked) || boxes().slice(0, 3).forEach((box) => (box.checked = true)),
  all: (button) => boxes().forEach((box) => (box.checked = button.checked)),
  copy: async (button, event) => {
    event.preventDefault();
    await navigator.clipboard.writeText(boxes().filter((box) => box.checked).map((box) => box.value).join("\n"));
    button.lastChild.textContent = "Copied";
  },
};
addEventListener("focusin", (event) => {
  last = event.target.closest?.(".hunt tbody tr") ?? last;
});
let before = null;
addEventListener("click", (event) => {
  const { target } = event;
  const doing = target.closest?.("[data-do]");
  if (doing) deeds[doing.dataset.do](doing, event);
  // A column that is clicked with the shift key joins those that the list is sorted by.
  const then = event.shiftKey && target.closest?.("a[data-then]");
  if (then) {
    event.preventDefault();
    location.assign(then.dataset.then);
  }
  const box = target.closest?.(".hunt tbody .c-sel input");
  if (box) {
    const list = boxes();
    const [from, to] = [list.indexOf(before), list.indexOf(box)].sort((a, b) => a - b);
    if (event.shiftKey && from >= 0) list.slice(from, to + 1).forEach((each) => (each.checked = box.checked));
    before = box;
  }
  // A click beside the link of a row is one on it.
  const row = target.closest?.(".hunt tbody tr");
  if (row && !target.closest("a, button, input, label") && !getSelection().toString()) {
    $(".name", row).focus();
    $(".name", row).click();
  }
  all("details.drop[open]").filter((each) => !each.contains(target)).forEach((each) => (each.open = false));
});
// The row of the short report is marked, also after it was fetched.
addEventListener("htmx:afterSwap", (event) => {
  if (event.target.id !== "panel") return;
  event.target.parentElement.classList.toggle("with", event.target.children.length > 0);
  const open = new URL(event.detail.pathInfo.requestPath, location.href).searchParams.get("open");
  rows().forEach((row) => row.classList.toggle("is-open", $(".c-sel input", row).value === open));
});

// A report leads back to its place in the list that led to it, and on to its neighbours there.
const leave = () => {
  const table = $(".hunt");
  if (!table) return;
  const from = new URL(location.href);
  from.searchParams.delete("open");
  const names = boxes().map((box) => box.value);
  sessionStorage.setItem("list", JSON.stringify({ from: from.pathname + from.search, names, ...table.dataset }));
};
leave();
addEventListener("htmx:afterSettle", ({ target }) => target.id === "pick" && leave());
$(".hunt tr.is-open")?.scrollIntoView({ block: "nearest" });
const trail = $(".trail");
const led = trail && JSON.parse(sessionStorage.getItem("list"));
const place = led ? led.names.indexOf(trail.dataset.name) : -1;
if (place >= 0) {
  const back = $(".crumb a");
  back.href = `${led.from}${led.from.includes("?") ? "&" : "?"}open=${trail.dataset.name}`;
  if (led.named) back.textContent = led.named;
  trail.append(`${(Number(led.first) + place + 1).toLocaleString("en")} of ${Number(led.total).toLocaleString("en")} `);
  for (const [step, sign, says, key] of [[-1, "↑", "Previous", "k"], [1, "↓", "Next", "j"]]) {
    const name = led.names[place + step];
    if (!name) continue;
    const link = Object.assign(document.createElement("a"), { href: `/domains/${name}`, textContent: sign, title: `${says}: ${name} (${key})`, ariaLabel: `${says} in the list: ${name}` });
    trail.append(link, " ");
    install(link, key);
  }
}

// The form of filters: what is typed into its first field finds a filter, which Enter goes to.
const finding = $("#find-filter");
if (finding) {
  const fields = all(".group .field, .group .box, .group fieldset").filter((each) => !each.parentElement.closest("fieldset"));
  const said = (field) => `${field.textContent} ${$("[name]", field)?.name.replaceAll("_", " ")}`.toLowerCase();
  finding.addEventListener("input", (event) => {
    event.stopPropagation(); // it is no filter
    const words = finding.value.toLowerCase().split(/\s+/);
    fields.forEach((field) => (field.hidden = !words.every((word) => said(field).includes(word))));
    for (const group of all(".group")) {
      group.hidden = fields.every((field) => field.hidden || !group.contains(field));
      group.open = finding.value.trim() !== "" && !group.hidden;
    }
  });
  finding.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    $("[name]", fields.find((field) => !field.hidden))?.focus();
  });
  finding.closest("details.drop").addEventListener("toggle", () => matchMedia("(hover)").matches && finding.focus());
}
// A list that is refused says so in the form that asked for it.
addEventListener("htmx:beforeSwap", ({ detail }) => detail.target.id === "pick" && detail.xhr.status === 422 && (detail.shouldSwap = true));

// The table of links: a click on a heading sorts it, and it can show the links of one state alone.
const linked = $("#linked");
if (linked) {
  const rows = () => [...linked.tBodies[0].rows], heads = [...linked.tHead.rows[0].cells];
  const said = (row, at) => row.cells[at].dataset.value ?? row.cells[at].textContent.trim();
  heads.forEach((head, at) => {
    const button = Object.assign(document.createElement("button"), { type: "button", className: "quiet", textContent: head.textContent });
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const down = head.ariaSort !== "descending";
      heads.forEach((each) => each.removeAttribute("aria-sort"));
      head.ariaSort = down ? "descending" : "ascending";
      const order = (one, other) => said(one, at).localeCompare(said(other, at), "en", { numeric: true });
      linked.tBodies[0].append(...rows().sort((one, other) => (down ? order(other, one) : order(one, other))));
    });
  });
  const state = $("#link-state");
  if (state) state.closest("label").hidden = false;
  state?.addEventListener("change", () => rows().forEach((row) => (row.hidden = !!state.value && row.dataset.state !== state.value)));
  // Of a folded table the first ten are printed.
  const fold = linked.closest("details");
  addEventListener("beforeprint", () => {
    linked.classList.toggle("ten", !fold.open);
    fold.open = true;
  });
  addEventListener("afterprint", () => {
    fold.open = !linked.matches(".ten");
    linked.classList.remove("ten");
  });
}

for (const button of all("[data-print]")) {
  button.addEventListener("click", async () => {
    // What the registry says belongs on paper, also where nobody has scrolled to it.
    const asked = $(".asked-of:empty");
    if (asked) await htmx.ajax("GET", asked.getAttribute("hx-get"), asked).catch(() => {});
    print();
  });
}

for (const button of all("button[data-copy]")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    const source = document.getElementById(button.dataset.copy);
    await navigator.clipboard.writeText(source.value ?? source.textContent);
    button.textContent = "Copied";
  });
}
