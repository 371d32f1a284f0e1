// For HEALTHCHECK of a container: exits with 0 if the service on this machine is ready, else with 1.
import { request as plain } from 'node:http';
import { request as secure } from 'node:https';

const TIMEOUT_MS = 4_000;
const { PORT = '8000', TLS_CERT_FILE = '' } = process.env;

// With its own certificate the service is asked by a name that the certificate does not contain. Nothing confidential is
// sent here, so the name need not be verified.
const [request, options] = TLS_CERT_FILE === '' ? [plain, {}] : [secure, { rejectUnauthorized: false }];

request({ host: '127.0.0.1', port: PORT, path: '/ready', timeout: TIMEOUT_MS, ...options }, (response) => {
  response.resume();
  process.exit(response.statusCode === 200 ? 0 : 1);
})
  .on('timeout', () => process.exit(1))
  .on('error', (error) => {
    console.error(error.message);
    process.exit(1);
  })
  .end();
