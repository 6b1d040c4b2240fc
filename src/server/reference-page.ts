import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { builtPath } from '../platform/installation.ts';
import type { Exchange } from './exchange.ts';
import { fileAnswer, type HttpAnswer, respond } from './respond.ts';

/** Addresses are relative, so that the page works below the prefix of a proxy. */
const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>asof: HTTP reference</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="docs/swagger-ui.css">
</head>
<body>
<main id="reference"></main>
<noscript>This page needs JavaScript. <a href="v1/openapi.json">The description of the service</a> does not.</noscript>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/page.js"></script>
</body>
</html>
`;

/** Nothing is sent to another host, and a key that is typed in is kept until the page is closed. */
const script = `SwaggerUIBundle({
  url: new URL('v1/openapi.json', location.href).href,
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  persistAuthorization: false,
  validatorUrl: null,
});
`;

/** Scripts come only from the service; swagger-ui sets styles of its elements, and has pictures in its style sheet. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Answers the address of a file of the reference page. */
type FileAnswer = (exchange: Exchange) => Promise<Response>;

/** The reference page of the service and its files, by their paths; the files of swagger-ui are read on request. */
export function referencePage(): ReadonlyMap<string, FileAnswer> {
  return new Map<string, FileAnswer>([
    // The page names its files relative to its own address.
    ['/docs/', (exchange) => respond(exchange, moved('../docs'))],
    ['/docs', pageFile('text/html', async () => Buffer.from(page))],
    ['/docs/page.js', pageFile('text/javascript', async () => Buffer.from(script))],
    ['/docs/swagger-ui.css', pageFile('text/css', () => swaggerFile('swagger-ui.css'))],
    ['/docs/swagger-ui-bundle.js', pageFile('text/javascript', () => swaggerFile('swagger-ui-bundle.js'))],
  ]);
}

function pageFile(type: string, content: () => Promise<Buffer>): FileAnswer {
  return fileAnswer({ type: `${type}; charset=utf-8`, policy, content });
}

function moved(to: string): HttpAnswer {
  return { status: 308, type: 'text/plain; charset=utf-8', body: '', headers: { Location: to } };
}

function swaggerFile(name: string): Promise<Buffer> {
  return readFile(join(builtPath('swagger-ui'), name));
}
