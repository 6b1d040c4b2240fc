import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { getRequestListener } from '@hono/node-server';
import { systemProblem } from '../errors/system-errors.ts';
import type { Log } from './exchange.ts';
import type { Handler, PublicUrl } from './handler.ts';
import {
  longestTarget,
  type MalformedRequest,
  malformedAnswer,
  malformedMessage,
  malformedRequest,
} from './malformed-request.ts';

/** How long the server waits, in milliseconds. */
export type ServerTimeouts = {
  /** For the headers of a request, also on a connection that sends nothing. */
  readonly headers: number;
  /** For a whole request. */
  readonly request: number;
  /** For a client that reads nothing of its answer. */
  readonly reader: number;
  /** For the next request on a connection. */
  readonly idle: number;
  /** From the first answer that the service is not ready until it takes no more connections. */
  readonly notice: number;
  /** For requests in flight when it stops. */
  readonly inFlight: number;
  /** For the first request on a connection that was made before it stopped. */
  readonly arrival: number;
};

const defaultTimeouts: ServerTimeouts = {
  headers: 10_000,
  request: 20_000,
  reader: 30_000,
  idle: 65_000,
  notice: 500,
  inFlight: 8_000,
  arrival: 1_000,
};

/** What a server answers with, and where it listens. */
export type ServerOptions = {
  readonly handler: Handler;
  readonly host: string;
  readonly port: number;
  readonly log: Log;
  readonly publicUrl: PublicUrl;
  readonly timeouts?: Partial<ServerTimeouts>;
};

/** Listens on a port and hands requests to a handler: the only code that knows sockets. */
export class HttpServer {
  readonly #options: ServerOptions;
  readonly #timeouts: ServerTimeouts;
  readonly #server: Server;
  readonly #connections = new Set<Socket>();
  readonly #answering = new AnswersInProgress();
  #accepted = 0;
  #url = '';
  #isStopping = false;

  private constructor(options: ServerOptions) {
    this.#options = options;
    this.#timeouts = { ...defaultTimeouts, ...options.timeouts };
    this.#server = createServer({
      maxHeaderSize: 2 * longestTarget,
      headersTimeout: this.#timeouts.headers,
      requestTimeout: this.#timeouts.request,
      keepAliveTimeout: this.#timeouts.idle,
      connectionsCheckingInterval: Math.min(1000, this.#timeouts.headers / 4),
      // Node's own answer to a missing Host has no body.
      requireHostHeader: false,
    }).setTimeout(this.#timeouts.reader);
    this.#server.on('connection', (socket) => {
      this.#accepted += 1;
      this.#connections.add(socket);
      socket.once('close', () => this.#connections.delete(socket));
    });
    this.#answerRequests();
    this.#answerConnectionsWithoutRequest();
  }

  /**
   * A server that listens on the port; a `local-io` Problem where it cannot. Whatever a client breaks is answered by a
   * problem document.
   */
  static async listen(options: ServerOptions): Promise<HttpServer> {
    const made = new HttpServer(options);
    await made.#listen();
    return made;
  }

  /** The address on which the server listens. */
  get url(): string {
    return this.#url;
  }

  /** Whether `stop` has been called; the server still answers for a moment. */
  get isStopping(): boolean {
    return this.#isStopping;
  }

  /**
   * Takes no more connections after a notice. Answers the requests on those it has, also one that is still on its way on a
   * new connection, and closes each with its answer; idle ones are closed at once.
   */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await delay(this.#timeouts.notice);
    // A connection whose answer is being sent now closes right after it.
    this.#server.keepAliveTimeout = 1;
    const { inFlight, arrival } = this.#timeouts;
    await this.#acceptWaiting(Math.min(arrival, inFlight));
    const closed = once(this.#server, 'close');
    this.#server.close();
    const timers = [
      setTimeout(() => this.#disconnect((socket) => socket.bytesRead === 0), Math.min(arrival, inFlight)),
      setTimeout(() => this.#disconnect(() => true), inFlight),
    ];
    await closed;
    for (const timer of timers) clearTimeout(timer);
  }

  /**
   * Accepts the connections that wait in the system, which would be reset with the port, for at most this number of milliseconds:
   * Node accepts one in a turn of its loop.
   */
  async #acceptWaiting(most: number): Promise<void> {
    const end = performance.now() + most;
    let before: number;
    do {
      before = this.#accepted;
      await nextTurn();
      await nextTurn();
    } while (this.#accepted > before && performance.now() < end);
  }

  #disconnect(isOver: (socket: Socket) => boolean): void {
    for (const socket of this.#connections) if (isOver(socket)) socket.destroy();
  }

  async #listen(): Promise<void> {
    const { host, port } = this.#options;
    this.#server.listen(port, host);
    await once(this.#server, 'listening').catch((cause) => {
      throw systemProblem('listen on', `${host}:${port}`, cause);
    });
    this.#url = urlOf(host, (this.#server.address() as AddressInfo).port);
  }

  /** Hands requests to the handler, and refuses those that Node would answer without a problem document. */
  #answerRequests(): void {
    const listener = getRequestListener(this.#options.handler, {
      hostname: 'localhost',
      errorHandler: () => {
        const { text, headers } = this.#logged({
          status: 400,
          detail: 'the address of the request is malformed',
        });
        return new Response(text, { status: 400, headers });
      },
    });
    const answer = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
      this.#answering.begin(incoming.socket, outgoing);
      if (this.#isStopping) outgoing.setHeader('Connection', 'close');
      if (incoming.headers.host === undefined && incoming.httpVersion === '1.1')
        this.#refuse(outgoing, { status: 400, detail: 'the Host header is missing' });
      else listener(incoming, outgoing);
    };
    this.#server.on('request', answer);
    // Bodies are refused, so that no client is told to continue with one.
    this.#server.on('checkContinue', answer);
    this.#server.on('checkExpectation', (incoming, outgoing) => {
      this.#answering.begin(incoming.socket, outgoing);
      this.#refuse(outgoing, { status: 417, detail: 'this service meets no expectations' });
    });
  }

  /** Answers where there is a socket but no request that Node could parse. */
  #answerConnectionsWithoutRequest(): void {
    this.#server.on('connect', (_incoming, socket) => {
      // Node no longer handles the errors of this socket, and one that nobody handles ends the process.
      socket.on('error', () => socket.destroy());
      const refused = { status: 405, detail: 'this service is read-only: use GET or HEAD' };
      // An answer now would come before the ones that are in progress.
      if (!this.#answering.closeAfter(socket)) this.#end(socket, refused, 'CONNECT');
    });
    this.#server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
      const malformed = malformedRequest(error, socket instanceof Socket ? socket.bytesRead : 0);
      if (malformed === undefined || !socket.writable) socket.destroy();
      // A second answer in the middle of another would damage it.
      else if (!this.#answering.closeAfter(socket)) this.#end(socket, malformed, error.code ?? error.name);
    });
  }

  #refuse(outgoing: ServerResponse, malformed: MalformedRequest): void {
    const { text, headers } = this.#logged(malformed);
    outgoing.writeHead(malformed.status, headers).end(text);
  }

  #logged(malformed: MalformedRequest): ReturnType<typeof malformedAnswer> {
    const { log, publicUrl } = this.#options;
    const answer = malformedAnswer(malformed, publicUrl());
    log.info({ request_id: answer.requestId, route: null, status: malformed.status });
    return answer;
  }

  #end(socket: Duplex, malformed: MalformedRequest, reason: string): void {
    const { log, publicUrl } = this.#options;
    const { requestId, message } = malformedMessage(malformed, publicUrl());
    log.info({ request_id: requestId, route: null, status: malformed.status, reason });
    socket.end(message);
    // Reads and drops what the client still sends for a moment, so that it can read its answer.
    socket.resume();
    setTimeout(() => socket.destroy(), 500).unref();
  }
}

/** Counts the requests of each connection whose answers are not sent yet. */
class AnswersInProgress {
  readonly #counts = new WeakMap<Duplex, number>();
  readonly #closing = new WeakSet<Duplex>();

  begin(socket: Socket, outgoing: ServerResponse): void {
    this.#counts.set(socket, this.#countOf(socket) + 1);
    outgoing.once('close', () => {
      this.#counts.set(socket, this.#countOf(socket) - 1);
      if (this.#closing.has(socket) && this.#countOf(socket) === 0) socket.destroySoon();
    });
  }

  /** Closes a connection after its answers; false if there are none. */
  closeAfter(socket: Duplex): boolean {
    if (this.#countOf(socket) === 0) return false;
    this.#closing.add(socket);
    return true;
  }

  #countOf(socket: Duplex): number {
    return this.#counts.get(socket) ?? 0;
  }
}

function urlOf(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
