/** A refusal by the service. Network failures are thrown as `fetch` throws them. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** The HTTP status. */
  readonly status: number;
  /** The explanation of the service. */
  readonly detail: string;
  /** In seconds; null if the service did not send it. */
  readonly retryAfter: number | null;
  /** The whole answer; empty if it was not a JSON object. */
  readonly body: Readonly<Record<string, unknown>>;

  constructor(status: number, detail: string, retryAfter: number | null, body: Readonly<Record<string, unknown>> = {}) {
    super(`${status}: ${detail}`);
    this.status = status;
    this.detail = detail;
    this.retryAfter = retryAfter;
    this.body = body;
  }

  static async from(response: Response): Promise<ApiError> {
    const body = objectIn(await response.text());
    const retryAfter = Number(response.headers.get('retry-after') ?? NaN);
    const detail = 'detail' in body ? String(body['detail']) : response.statusText;
    return new ApiError(response.status, detail, Number.isFinite(retryAfter) ? retryAfter : null, body);
  }
}

/** A proxy between client and service may answer in another format. */
function objectIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? { ...body } : {};
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}
