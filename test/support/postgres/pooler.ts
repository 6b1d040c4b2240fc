import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { inject } from 'vitest';

/** A pooler in transaction mode, which gives a client another connection of the server for each transaction. */
export type Pooler = {
  /** The address of a store, as clients of the pooler name it. */
  readonly through: (address: string) => string;
  /** The transactions that ran on another connection than the one before of the same client. */
  readonly moved: () => number;
  readonly close: () => Promise<void>;
};

/** The server's side: a connection, and how many answers it owes. */
type Backend = { readonly socket: Socket; owed: number; buffer: Buffer; client: Client | undefined };
type Client = { readonly socket: Socket; buffer: Buffer; isStarted: boolean; last: Backend | undefined };

const sslRequest = 80_877_103;

/** Starts a pooler of three connections before the server of the tests. */
export async function startPooler(): Promise<Pooler> {
  const server = new URL(inject('postgres'));
  const backends = await Promise.all([1, 2, 3].map(() => newBackend(server)));
  const waiting: Client[] = [];
  let moved = 0;

  /** Gives waiting clients the free connections, each preferably not the one that it had last. */
  const assign = (): void => {
    for (const client of [...waiting]) {
      const free = backends.filter((backend) => backend.client === undefined);
      const backend = free.find((one) => one !== client.last) ?? (free.length > 1 ? free[0] : undefined);
      if (backend === undefined) continue;
      waiting.splice(waiting.indexOf(client), 1);
      if (client.last !== undefined && client.last !== backend) moved += 1;
      backend.client = client;
      client.last = backend;
      forward(client, backend);
    }
  };

  const forward = (client: Client, backend: Backend): void => {
    for (const message of takeMessages(client)) {
      // A query, or the end of a series of messages, is answered by ReadyForQuery.
      if (message[0] === code('Q') || message[0] === code('S')) backend.owed += 1;
      if (message[0] !== code('X')) backend.socket.write(message);
    }
  };

  const read = (client: Client): void => {
    if (!client.isStarted && !startUp(client)) return;
    const backend = backends.find((one) => one.client === client);
    if (backend !== undefined) forward(client, backend);
    else if (client.buffer.length > 0 && client.buffer[0] !== code('X') && !waiting.includes(client)) {
      waiting.push(client);
      assign();
    }
  };

  for (const backend of backends)
    backend.socket.on('data', (data) => {
      backend.buffer = Buffer.concat([backend.buffer, data]);
      for (const message of takeMessages(backend)) {
        backend.client?.socket.write(message);
        if (message[0] !== code('Z')) continue;
        backend.owed -= 1;
        if (backend.owed > 0 || message[5] !== code('I')) continue;
        backend.client = undefined;
      }
      assign();
    });

  const listener = createServer({ noDelay: true }, (socket) => {
    const client: Client = { socket, buffer: Buffer.alloc(0), isStarted: false, last: undefined };
    socket.on('data', (data) => {
      client.buffer = Buffer.concat([client.buffer, data]);
      read(client);
    });
    socket.on('error', () => undefined);
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as { readonly port: number };
  return {
    through: (address) => address.replace(server.host, `127.0.0.1:${port}`),
    moved: () => moved,
    async close() {
      for (const { socket } of backends) socket.destroy();
      listener.close();
    },
  };
}

/** Answers the first messages of a client, as a server that asks for no password; false until they have come. */
function startUp(client: Client): boolean {
  while (client.buffer.length >= 8) {
    const length = client.buffer.readInt32BE(0);
    if (client.buffer.length < length) return false;
    const isSsl = client.buffer.readInt32BE(4) === sslRequest;
    client.buffer = client.buffer.subarray(length);
    if (isSsl) {
      client.socket.write('N');
      continue;
    }
    const authenticated = Buffer.from([code('R'), 0, 0, 0, 8, 0, 0, 0, 0]);
    const ready = Buffer.from([code('Z'), 0, 0, 0, 5, code('I')]);
    client.socket.write(Buffer.concat([authenticated, ready]));
    client.isStarted = true;
    return true;
  }
  return false;
}

async function newBackend(server: URL): Promise<Backend> {
  const socket = connect({ port: Number(server.port), host: server.hostname, noDelay: true });
  const backend: Backend = { socket, owed: 0, buffer: Buffer.alloc(0), client: undefined };
  await once(socket, 'connect');
  const parameters = Buffer.from(`user\0${server.username}\0database\0postgres\0application_name\0asof\0\0`);
  const head = Buffer.alloc(8);
  head.writeInt32BE(8 + parameters.length, 0);
  head.writeInt32BE(196_608, 4);
  socket.write(Buffer.concat([head, parameters]));
  while (!backend.buffer.includes(Buffer.from([code('Z'), 0, 0, 0, 5, code('I')])))
    backend.buffer = Buffer.concat([backend.buffer, ((await once(socket, 'data')) as [Buffer])[0]]);
  backend.buffer = Buffer.alloc(0);
  return backend;
}

/** Takes the complete messages out of a buffer. */
function takeMessages(side: { buffer: Buffer }): readonly Buffer[] {
  const messages: Buffer[] = [];
  while (side.buffer.length >= 5) {
    const length = 1 + side.buffer.readInt32BE(1);
    if (side.buffer.length < length) break;
    messages.push(side.buffer.subarray(0, length));
    side.buffer = side.buffer.subarray(length);
  }
  return messages;
}

function code(letter: string): number {
  return letter.charCodeAt(0);
}
