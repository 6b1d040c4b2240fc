import { connectionIn, messagesIn } from '../../lines/command.ts';
import { sharedFlags } from '../../lines/shared-flags.ts';
import { withClient } from '../run/session.ts';
import { exitCode } from '../terminal/io.ts';
import { command } from './command.ts';

const answerAssistant = command({
  words: 'mcp',
  heading: 'Service',
  summary: 'Answer an assistant over the Model Context Protocol',
  about: `An assistant starts this command and asks on its standard input; the answers go to standard
output. Its tools search series and give observations, panels, revisions, curves, filings and
clusters, each with the day that it is as of.

With --as-of no tool gives what was published after that day, for a backtest that an assistant
runs.`,
  examples: `
# what an assistant starts (needs an assistant)
asof mcp
# every answer as of a day (needs an assistant)
asof mcp --as-of 2015-01-30
`,
  args: [],
  flags: [
    { ...sharedFlags.asOf, about: 'as-of date of every answer; no tool gives what was published later' },
    ...sharedFlags.connection,
    ...sharedFlags.messages,
  ],
  read: (line) => ({
    asOf: line.asOf(),
    connection: connectionIn(line),
    messages: messagesIn(line),
  }),
  async run({ asOf, connection, messages: flags }, io) {
    const { serveMcp } = await import('../../mcp/server.ts');
    const flagged = { connection, messages: flags, ...(asOf !== undefined && { asOf }) };
    await withClient(flagged, io, async (client, messages) => {
      const bound = asOf === undefined ? '' : ` as of ${asOf}`;
      messages.noteOnTerminal(`asof: an assistant starts this command and asks it${bound}; Ctrl-D ends it`);
      const { clock, signal, stdin, stdout } = io;
      await serveMcp({ client, clock, signal, stdin, stdout, ...(asOf !== undefined && { asOf }) });
    });
    return exitCode.success;
  },
});

/** `asof mcp`: answers the assistant that started it, until it closes the input. */
export const commands = [answerAssistant];
