import { Problem } from '../../errors/problem.ts';
import { connection, messages, output } from '../../lines/shared-parts.ts';
import { command } from './command.ts';

const pingSources = command({
  words: 'ping',
  heading: 'Service',
  summary: 'Ask each live source whether it answers and takes your key',
  parts: {
    sources: {
      flags: [{ name: 'sources', about: 'ask each live source once: whether it answers and takes your key' }],
      read(line) {
        if (line.has('base-url'))
          throw new Problem('bad-input', '--sources asks the live sources themselves: leave out --base-url');
        return true;
      },
    },
    output,
    connection,
    messages,
  },
  // Loaded here: a ping of a store needs nothing of the live sources.
  run: async (line, io) => (await import('./pull.ts')).probe(line, io),
});

/** `asof ping --sources`: what the command of a question does instead. */
export const commands = [pingSources];
