/** The parts of undici that a request needs, without those (fetch, cache, web sockets) that double the time to start. */
declare module 'undici/lib/api/api-request.js' {
  import type { Dispatcher } from 'undici';

  function request(
    this: Dispatcher,
    options: Dispatcher.RequestOptions<null>,
  ): Promise<Dispatcher.ResponseData>;
  export = request;
}

declare module 'undici/lib/api/api-connect.js' {
  import type { Dispatcher } from 'undici';

  function connect(this: Dispatcher, options: Dispatcher.ConnectOptions): Promise<Dispatcher.ConnectData>;
  export = connect;
}

declare module 'undici/lib/dispatcher/agent.js' {
  import type { Agent as PublicAgent } from 'undici';

  const Agent: typeof PublicAgent;
  export = Agent;
}

declare module 'undici/lib/dispatcher/pool.js' {
  import type { Pool as PublicPool } from 'undici';

  const Pool: typeof PublicPool;
  export = Pool;
}

declare module 'undici/lib/dispatcher/env-http-proxy-agent.js' {
  import type { EnvHttpProxyAgent as PublicAgent } from 'undici';

  const EnvHttpProxyAgent: typeof PublicAgent;
  export = EnvHttpProxyAgent;
}

declare module 'undici/lib/core/connect.js' {
  import type { Socket } from 'node:net';
  import type { buildConnector as Public } from 'undici';

  function buildConnector(
    options: Public.BuildOptions,
  ): (options: Public.Options, callback: Public.Callback) => Socket;
  export = buildConnector;
}
