import type { TalkFlags } from './flags.ts';
import type { Io } from './io.ts';

/** How much of work whose total is known is done. */
type Share = { readonly done: number; readonly total: number };

/** A line on a terminal's stderr that says how far long work has come. */
export type Progress = {
  /**
   * Shows a text, with a bar before it where the total is known; now and then, not each time.
   * The text is made only when it is shown: the first number that is worded for people costs a query 10 ms.
   */
  readonly show: (text: () => string, share?: Share) => void;
  /** Takes the line away, before anything else is written there. */
  readonly clear: () => void;
};

/** Long work begins to show after so many milliseconds, and then this often at most. */
const patience = 500;
const pace = 100;

/** Progress on a terminal's stderr; silent anywhere else. */
export function progress(io: Io, flags: TalkFlags): Progress {
  if (io.stderr.isTTY !== true || flags.quiet === true)
    return { show: () => undefined, clear: () => undefined };
  let next = io.clock().getTime() + patience;
  let shown = false;
  return {
    show(text, share) {
      const now = io.clock().getTime();
      if (now < next) return;
      next = now + pace;
      shown = true;
      const line = share === undefined ? text() : `${bar(share)}, ${text()}`;
      io.stderr.write(`\r\u001B[K${line.slice(0, (io.stderr.columns || 80) - 1)}`);
    },
    clear() {
      if (shown) io.stderr.write('\r\u001B[K');
      shown = false;
    },
  };
}

const barWidth = 20;

function bar({ done, total }: Share): string {
  const filled = Math.floor((barWidth * done) / total);
  return `[${'#'.repeat(filled).padEnd(barWidth, '.')}] ${done} of ${total}`;
}
