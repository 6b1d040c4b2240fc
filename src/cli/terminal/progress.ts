import type { TalkFlags } from '../options/flags.ts';
import { type Io, variable } from './io.ts';
import type { Share } from './progress-line.ts';
import { eraseStatus, showStatus } from './status-line.ts';

/** A line on a terminal's stderr that says how far long work has come. */
export type Progress = {
  /**
   * Shows a text; before it how much is done, how fast, and where the total is known a bar and the time left. It shows now
   * and then, not each time. The text is made only when it is shown: the first number that is worded for people costs a
   * query 10 ms.
   */
  readonly show: (text: () => string, share?: Share) => void;
  /** Takes the line away, before anything else is written there. */
  readonly clear: () => void;
};

/** Long work begins to show after so many milliseconds, and then this often at most. */
const patience = 500;
const pace = 100;

/** A terminal shows `^C` behind the line: in the last column that would begin another, and this one stay. */
const roomForKeys = 3;

type Words = typeof import('./progress-line.ts');

/** Progress of work that begins now, on a terminal's stderr; silent anywhere else. */
export function progress(io: Io, flags: TalkFlags): Progress {
  if (io.stderr.isTTY !== true || variable(io, 'TERM') === 'dumb' || flags.quiet === true)
    return { show: () => undefined, clear: () => undefined };
  const begun = io.clock().getTime();
  let next = begun + patience;
  // What words a line is loaded when the first is due, so that short work never waits for it.
  let loading = false;
  let words: Words | undefined;
  let draw: ((words: Words) => void) | undefined;
  return {
    show(text, share) {
      const now = io.clock().getTime();
      if (now < next) return;
      next = now + pace;
      draw = ({ progressLine }) => {
        const width = (io.stderr.columns || 80) - roomForKeys;
        showStatus(io.stderr, progressLine(text(), share, now - begun, width));
      };
      if (words !== undefined) return draw(words);
      if (loading) return;
      loading = true;
      void import('./progress-line.ts').then((loaded) => {
        words = loaded;
        draw?.(loaded);
      });
    },
    clear() {
      draw = undefined;
      eraseStatus(io.stderr);
    },
  };
}
