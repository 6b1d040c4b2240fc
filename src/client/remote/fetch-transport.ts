import type { openTransport as openInNode } from './transport.ts';

/** Opens the transport of browsers, which takes the place of transport.ts in dist/browser.js. */
export const openTransport: typeof openInNode = async (origin) => ({
  async send(path, headers, signal) {
    // A browser names its own codings, and asks first for leave to send other headers than these.
    const { accept = '', 'x-api-key': key, 'if-none-match': tag } = headers;
    const sent = { accept, ...(key && { 'x-api-key': key }), ...(tag && { 'if-none-match': tag }) };
    // The key is for this address: no redirect is followed.
    const how = { credentials: 'omit', redirect: 'error' } as const;
    const reply = await fetch(origin + path, { headers: sent, signal, ...how });
    const body = new Uint8Array(await reply.arrayBuffer());
    return {
      url: origin + path.replace(/\?.*$/s, ''),
      status: reply.status,
      headers: Object.fromEntries(reply.headers),
      // What reads a reply takes bytes; a browser has no Buffer.
      body: body as Buffer,
    };
  },
  close: async () => undefined,
});
