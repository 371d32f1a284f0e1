/** The text of a request. Headers are whole lines, so that they can be invalid in every way. */
export function rawRequest(requestLine: string, headers: readonly string[] = [], body = ''): string {
  return [`${requestLine} HTTP/1.1`, 'Host: test', ...headers, '', body].join('\r\n');
}

/** The same with a JSON body and its true length. */
export function rawJsonRequest(requestLine: string, json: unknown, headers: readonly string[] = []): string {
  const body = JSON.stringify(json);
  const framing = ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`];
  return rawRequest(requestLine, [...framing, ...headers], body);
}
