// For HEALTHCHECK of a container: ends with 0 when the service on this machine wants requests, else with 1.
import { request as plain } from 'node:http';
import { request as secure } from 'node:https';

const TIMEOUT_MS = 4_000;
const { PORT = '8000', TLS_CERT_FILE = '' } = process.env;

// With a certificate of its own the service is asked by a name that the certificate does not hold. Nothing is told here
// that would have to be kept from an impostor.
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
