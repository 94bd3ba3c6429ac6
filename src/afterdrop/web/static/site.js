// Improves what works without it: countdowns that run, copy buttons, a check's progress, a rule's preview.
"use strict";
(() => {
  const left = (at) => {
    const past = at < Date.now();
    const minutes = Math.floor(Math.abs(at - Date.now()) / 60000);
    const hours = Math.floor(minutes / 60);
    const text = hours >= 48 ? `${Math.floor(hours / 24)} days` : hours ? `${hours} h ${minutes % 60} min` : `${minutes} min`;
    return past ? `${text} ago` : `in ${text}`;
  };
  const tick = () => {
    for (const mark of document.querySelectorAll("time[data-countdown]")) {
      const text = left(Date.parse(mark.dateTime));
      if (mark.textContent !== text) mark.textContent = text;
    }
  };
  tick();
  setInterval(tick, 30000);

  for (const button of document.querySelectorAll("button[data-copy]")) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      const source = document.getElementById(button.dataset.copy);
      await navigator.clipboard.writeText(source.value ?? source.textContent);
      button.textContent = "Copied";
    });
  }

  for (const here of document.querySelectorAll(".sub [aria-current], .menu [aria-current], .docs nav [aria-current]")) {
    const row = here.closest("ul");
    if (row.scrollWidth > row.clientWidth) row.scrollLeft = here.offsetLeft - row.clientWidth / 3;
  }

  // The part of a page with this id as the server shows it now.
  const part = async (id, address, options) => {
    const answer = await fetch(address, { credentials: "same-origin", ...options });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    return page.getElementById(id);
  };

  const follow = () => {
    const check = document.getElementById("check");
    if (!check?.dataset.again) return;
    setTimeout(async () => {
      try {
        const fresh = await part("check", location.href);
        if (fresh && fresh.innerHTML !== check.innerHTML) check.replaceWith(fresh);
      } catch {
        // the next turn asks again
      }
      follow();
    }, 1000 * Number(check.dataset.again));
  };
  follow();

  const form = document.querySelector("form[data-preview]");
  if (form) {
    let waiting;
    let turn = 0;
    const show = async () => {
      const mine = ++turn;
      const fields = new URLSearchParams(new FormData(form));
      fields.set("do", "preview");
      try {
        const fresh = await part(form.dataset.preview, location.href, { method: "POST", body: fields });
        if (fresh && mine === turn) document.getElementById(form.dataset.preview).replaceWith(fresh);
      } catch {
        // the button asks the same
      }
    };
    form.addEventListener("input", () => {
      clearTimeout(waiting);
      waiting = setTimeout(show, 700);
    });
  }
})();
