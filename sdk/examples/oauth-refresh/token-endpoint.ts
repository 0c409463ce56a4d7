// A token endpoint to try oauth-refresh.ts with. As real ones do, it takes each refresh token once: a second refresh with
// the same one is refused.
//
//   node --import tsx sdk/examples/oauth-refresh/token-endpoint.ts 4000

import { createServer } from 'node:http';

const [port = '4000'] = process.argv.slice(2);
const expiresInSeconds = 20;
let refreshes = 0;

createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  const isValid = new URLSearchParams(body).get('refresh_token') === `refresh-${refreshes}`;
  if (isValid) refreshes++;
  const token = {
    access_token: `access-${refreshes}`,
    refresh_token: `refresh-${refreshes}`,
    expires_in: expiresInSeconds,
  };
  console.log(isValid ? `refresh ${refreshes}` : 'refused');
  response.writeHead(isValid ? 200 : 400, { 'content-type': 'application/json' });
  response.end(JSON.stringify(isValid ? token : { error: 'invalid_grant' }));
}).listen(Number(port), '127.0.0.1');
