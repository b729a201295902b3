// Before the first paint, so that the chosen theme never flashes; a file, as the policy allows no inline script.
try {
  const chosen = localStorage.getItem("riacho.theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
} catch {
  // Storage may be forbidden; the system's theme does then.
}
