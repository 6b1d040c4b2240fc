import type { TalkFlags } from './flags.ts';
import type { Io } from './io.ts';

/** A line on a terminal's stderr that says how far long work has come. */
export type Progress = { readonly show: (text: string) => void; readonly clear: () => void };

/** Long work begins to show after so many milliseconds, and then this often at most. */
const patience = 500;
const pace = 100;

/** Progress on a terminal's stderr; silent anywhere else. */
export function progress(io: Io, flags: TalkFlags): Progress {
  if (io.stderr.isTTY !== true || flags.quiet === true)
    return { show: () => undefined, clear: () => undefined };
  let last = performance.now() + patience - pace;
  let shown = false;
  return {
    show(text) {
      if (performance.now() - last < pace) return;
      last = performance.now();
      shown = true;
      const width = (io.stderr.columns ?? 80) - 1;
      io.stderr.write(`\r\u001B[K${text.slice(0, width)}`);
    },
    clear() {
      if (shown) io.stderr.write('\r\u001B[K');
    },
  };
}
