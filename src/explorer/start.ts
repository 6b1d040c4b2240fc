/** Shows why the page did not start; browsers say so only on the console. */
function showFailure(event: Event): void {
  // A page that has started shows its failures itself.
  if (document.querySelector('main') !== null) return;
  const { target } = event;
  const said = event instanceof ErrorEvent ? event.message : undefined;
  const missing = target instanceof HTMLScriptElement ? `${target.src} could not be loaded` : undefined;
  const reason = said ?? missing;
  if (reason === undefined) return;
  const text = document.createElement('p');
  text.className = 'alert';
  text.setAttribute('role', 'alert');
  text.textContent = `The explorer did not start: ${reason}. The command asof answers the same questions without it.`;
  document.body.append(text);
}

// Before the scripts of the page, and for scripts that cannot be loaded, whose events do not bubble.
addEventListener('error', showFailure, true);
