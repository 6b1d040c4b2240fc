import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

// What bench/serve.mjs compares with: Node's own server, which sends one recorded answer to every request.
const { headers, body } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const server = createServer((_request, response) => response.writeHead(200, headers).end(body));
server.listen(0, '127.0.0.1', () =>
  console.error(`the rival listens on http://127.0.0.1:${server.address().port}`),
);
