import { variable } from '../../platform/installation.ts';
import type { Share } from '../../render/progress-line.ts';
import type { Io } from './io.ts';
import { eraseStatus, showStatus } from './messages.ts';

/** The progress of long work, as a line on a terminal's stderr. */
export type Progress = {
  /**
   * Shows a text after what is done, the rate and, where the total is known, a bar and the time left. Not every call
   * updates the line, and the text is made only for those that do: formatting the first number takes 10 ms.
   */
  readonly show: (text: () => string, share?: Share) => void;
  /** Erases the line, before anything else is written there. */
  readonly clear: () => void;
};

/** Milliseconds before the line is shown, and between two updates. */
const showAfter = 500;
const updateEvery = 100;

/** Columns left free: a terminal shows `^C` after the line, which would wrap in the last column. */
const roomForKeys = 3;

type LineModule = typeof import('../../render/progress-line.ts');

/** Progress of work that starts now; shown only on a terminal, and not with `quiet`. */
export function progress(io: Io, quiet: boolean): Progress {
  if (io.stderr.isTTY !== true || variable(io, 'TERM') === 'dumb' || quiet)
    return { show: () => undefined, clear: () => undefined };
  const started = io.clock().getTime();
  let next = started + showAfter;
  // The code that formats a line is loaded when the first line is due, so that short work does not load it.
  let isLoading = false;
  let loaded: LineModule | undefined;
  let draw: ((module: LineModule) => void) | undefined;
  return {
    show(text, share) {
      const now = io.clock().getTime();
      if (now < next) return;
      next = now + updateEvery;
      draw = ({ progressLine }) => {
        const width = (io.stderr.columns || 80) - roomForKeys;
        showStatus(io.stderr, progressLine(text(), share, now - started, width));
      };
      if (loaded !== undefined) return draw(loaded);
      if (isLoading) return;
      isLoading = true;
      void import('../../render/progress-line.ts').then((module) => {
        loaded = module;
        draw?.(module);
      });
    },
    clear() {
      draw = undefined;
      eraseStatus(io.stderr);
    },
  };
}
