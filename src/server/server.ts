import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { getRequestListener } from '@hono/node-server';
import { systemProblem } from '../errors/system-errors.ts';
import { type BrokenRequest, brokenAnswer, brokenMessage, brokenRequest } from './broken-http.ts';
import { type Connections, watchConnections } from './connections.ts';
import type { Handler } from './handler.ts';
import type { Log } from './log.ts';
import { longestTarget } from './target.ts';

/** How long the server waits for others, in milliseconds. */
export type Patience = {
  /** For the headers of a request, also on a connection that says nothing. */
  readonly headers: number;
  /** For a whole request. */
  readonly request: number;
  /** For a client that takes nothing of its answer. */
  readonly reader: number;
  /** For the next request on a connection. */
  readonly idle: number;
  /** From the first answer that the service is not ready until it stops listening. */
  readonly notice: number;
  /** For requests in flight when it stops. */
  readonly inFlight: number;
};

const usualPatience: Patience = {
  headers: 10_000,
  request: 20_000,
  reader: 30_000,
  idle: 65_000,
  notice: 500,
  inFlight: 8_000,
};

/** What a server is made of. */
export type ServerOptions = {
  readonly handler: Handler;
  readonly host: string;
  readonly port: number;
  readonly log: Log;
  readonly publicUrl: () => string;
  readonly patience?: Partial<Patience>;
};

/** A server that listens. */
export type RunningServer = {
  readonly url: string;
  stopping(): boolean;
  /** Stops listening after a notice, and lets requests in flight finish. */
  stop(): Promise<void>;
};

/** Starts to listen: the only place that knows sockets. Whatever a client breaks is answered by a problem document. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { host, port } = options;
  const patience = { ...usualPatience, ...options.patience };
  const server = createServer({
    maxHeaderSize: 2 * longestTarget,
    headersTimeout: patience.headers,
    requestTimeout: patience.request,
    keepAliveTimeout: patience.idle,
    connectionsCheckingInterval: Math.min(1000, patience.headers / 4),
    // Without it Node answers by itself, and with nothing.
    requireHostHeader: false,
  }).setTimeout(patience.reader);
  const connections = watchConnections(server);
  let stopping = false;
  answerRequests(server, options, connections, () => stopping);
  answerBroken(server, options, connections);

  server.listen(port, host);
  await once(server, 'listening').catch((cause: NodeJS.ErrnoException) => {
    throw systemProblem('listen on', `${host}:${port}`, cause);
  });

  return {
    url: urlOf(host, (server.address() as AddressInfo).port),
    stopping: () => stopping,
    async stop() {
      stopping = true;
      await delay(patience.notice);
      const closed = once(server, 'close');
      server.close();
      connections.closeIdle();
      const sweep = setInterval(connections.closeIdle, 20);
      const deadline = setTimeout(() => server.closeAllConnections(), patience.inFlight);
      await closed;
      clearInterval(sweep);
      clearTimeout(deadline);
    },
  };
}

/** Hands requests to the handler, and refuses those that Node would answer without a problem document. */
function answerRequests(
  server: Server,
  { handler, log, publicUrl }: ServerOptions,
  connections: Connections,
  stopping: () => boolean,
): void {
  const answerOf = (broken: BrokenRequest) => {
    const answer = brokenAnswer(broken, publicUrl());
    log.info({ request_id: answer.requestId, route: null, status: broken.status });
    return answer;
  };
  const refuse = (outgoing: ServerResponse, broken: BrokenRequest): void => {
    const { text, headers } = answerOf(broken);
    outgoing.writeHead(broken.status, headers).end(text);
  };
  const listener = getRequestListener(handler, {
    hostname: 'localhost',
    errorHandler: () => {
      const { text, headers } = answerOf({ status: 400, detail: 'the address of the request is malformed' });
      return new Response(text, { status: 400, headers });
    },
  });
  const answer = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    connections.begin(incoming, outgoing);
    if (stopping()) outgoing.setHeader('Connection', 'close');
    if (incoming.headers.host === undefined && incoming.httpVersion === '1.1')
      refuse(outgoing, { status: 400, detail: 'the Host header is missing' });
    else listener(incoming, outgoing);
  };
  server.on('request', answer);
  // No request here has a body that is waited for, so nobody is told to send one.
  server.on('checkContinue', answer);
  server.on('checkExpectation', (incoming, outgoing) => {
    connections.begin(incoming, outgoing);
    refuse(outgoing, { status: 417, detail: 'this service meets no expectations' });
  });
}

/** Answers what never became a request, where a socket is all there is. */
function answerBroken(server: Server, { log, publicUrl }: ServerOptions, connections: Connections): void {
  const end = (socket: Duplex, broken: BrokenRequest, reason: string): void => {
    const { requestId, message } = brokenMessage(broken, publicUrl());
    log.info({ request_id: requestId, route: null, status: broken.status, reason });
    socket.end(message);
    // What the client still sends is read and dropped for a moment, so that it can read its answer.
    socket.resume();
    setTimeout(() => socket.destroy(), 500).unref();
  };
  server.on('connect', (_incoming, socket) =>
    end(socket, { status: 405, detail: 'this service is read-only: use GET or HEAD' }, 'CONNECT'),
  );
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const broken = brokenRequest(error);
    if (broken === undefined || !socket.writable) socket.destroy();
    // In the middle of another answer a second one would only be damage.
    else if (!connections.closeWhenAnswered(socket)) end(socket, broken, error.code ?? error.name);
  });
}

function urlOf(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
