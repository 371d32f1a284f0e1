/** A refusal by the service. Network failures are thrown as `fetch` throws them. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** The HTTP status. */
  readonly status: number;
  /** The explanation of the service. */
  readonly detail: string;
  /** In seconds; null if the service did not send it. */
  readonly retryAfter: number | null;

  constructor(status: number, detail: string, retryAfter: number | null) {
    super(`${status}: ${detail}`);
    this.status = status;
    this.detail = detail;
    this.retryAfter = retryAfter;
  }

  static async from(response: Response): Promise<ApiError> {
    const text = await response.text();
    const retryAfter = Number(response.headers.get('retry-after') ?? NaN);
    return new ApiError(
      response.status,
      detailIn(text) ?? response.statusText,
      Number.isFinite(retryAfter) ? retryAfter : null,
    );
  }
}

/** A proxy between client and service may answer in another format. */
function detailIn(text: string): string | null {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null && 'detail' in body ? String(body.detail) : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
