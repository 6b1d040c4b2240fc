import { type CommandSpec, messagesIn } from './command.ts';
import { sharedFlags } from './shared-flags.ts';

const { store, messages } = sharedFlags;

/** `asof store init`. */
export const initCommand: CommandSpec = {
  words: 'store init',
  heading: 'Files',
  summary: 'Make an empty store, or distribute one over Citus',
  about: `Every import makes the store that it needs. This command makes an empty one, such as for a service
that starts before the first import.

With --distribute, Citus spreads the store over the nodes of the cluster: facts by series, filings
by issuer. The address is that of the coordinator. A store that has facts keeps them.`,
  args: [],
  flags: [{ name: 'distribute', about: 'distribute the store over the nodes of Citus' }, store, ...messages],
  read: (line) => ({
    command: 'store init',
    store: line.text('store'),
    distribute: line.has('distribute'),
    messages: messagesIn(line),
  }),
};
