// Lets the countdowns of drop windows run by the second. Without it they show the time at which the page was made.
"use strict";
(() => {
  const two = (number) => String(number).padStart(2, "0");
  const clock = (ms) => {
    const seconds = Math.max(0, Math.floor(ms / 1000));
    const days = Math.floor(seconds / 86400);
    const text = `${two(Math.floor((seconds % 86400) / 3600))}:${two(Math.floor((seconds % 3600) / 60))}:${two(seconds % 60)}`;
    return days ? `${days} d ${text}` : text;
  };
  const tick = () => {
    const now = Date.now();
    for (const mark of document.querySelectorAll("time[data-opens]")) {
      const opens = Date.parse(mark.dataset.opens);
      // A registry that does not publish when its release is over has no close.
      const closes = mark.dataset.closes ? Date.parse(mark.dataset.closes) : Infinity;
      const left = closes === Infinity ? "open; its end is not published" : `open, ${clock(closes - now)} left`;
      mark.textContent = now >= closes ? "over" : now < opens ? `opens in ${clock(opens - now)}` : left;
      mark.classList.toggle("warn", now >= opens && now < closes);
    }
  };
  tick();
  setInterval(tick, 1000);
})();
