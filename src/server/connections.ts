import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** What is known of the connections of a server. */
export type Connections = {
  /** Says that a connection has a request, until its answer is sent. */
  begin(incoming: IncomingMessage, outgoing: ServerResponse): void;
  /** Closes a connection when its answers are given; false when none is being given. */
  closeWhenAnswered(socket: unknown): boolean;
  /** Closes the connections on which nobody waits for an answer. */
  closeIdle(): void;
};

/** Keeps an eye on the connections of a server. */
export function watchConnections(server: Server): Connections {
  const open = new Map<unknown, { readonly socket: Socket; inFlight: number; last: boolean }>();
  server.on('connection', (socket) => {
    open.set(socket, { socket, inFlight: 0, last: false });
    socket.once('close', () => open.delete(socket));
  });
  return {
    begin(incoming, outgoing) {
      const connection = open.get(incoming.socket);
      if (connection === undefined) return;
      connection.inFlight += 1;
      outgoing.once('close', () => {
        connection.inFlight -= 1;
        if (connection.last && connection.inFlight === 0) connection.socket.destroySoon();
      });
    },
    closeWhenAnswered(socket) {
      const connection = open.get(socket);
      if (connection === undefined || connection.inFlight === 0) return false;
      connection.last = true;
      return true;
    },
    closeIdle() {
      server.closeIdleConnections();
      // Node does not count those as idle that never said anything.
      for (const { socket } of open.values()) if (socket.bytesRead === 0) socket.destroy();
    },
  };
}
