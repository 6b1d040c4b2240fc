import type { McpLine } from '../../lines/line.ts';
import { withClient } from '../run/session.ts';
import { exitCode, type Io } from '../terminal/io.ts';

/** `asof mcp`: answers the assistant that started it, until it closes the input. */
export async function runMcp({ asOf, connection, messages: flags }: McpLine, io: Io): Promise<number> {
  const { serveMcp } = await import('../../mcp/server.ts');
  const flagged = { connection, messages: flags, ...(asOf !== undefined && { asOf }) };
  await withClient(flagged, io, async (client, messages) => {
    const bound = asOf === undefined ? '' : ` as of ${asOf}`;
    messages.noteOnTerminal(`asof: an assistant starts this command and asks it${bound}; Ctrl-D ends it`);
    const { clock, signal, stdin, stdout } = io;
    await serveMcp({ client, clock, signal, stdin, stdout, ...(asOf !== undefined && { asOf }) });
  });
  return exitCode.success;
}
