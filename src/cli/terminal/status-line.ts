import type { Output } from './io.ts';

const erase = '\r\u001B[K';

/** The terminals on which a line stands that is to go. */
const standing = new WeakSet<Output>();

/** Puts a line on a terminal that stands until the next one, or until anything else is said there. */
export function showStatus(terminal: Output, line: string): void {
  standing.add(terminal);
  terminal.write(erase + line);
}

/** Takes away the line that stands on a terminal, if one does: whoever writes there does so first. */
export function eraseStatus(terminal: Output): void {
  if (standing.delete(terminal)) terminal.write(erase);
}
