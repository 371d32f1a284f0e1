/** A refusal of the service. Failures of the network are thrown as `fetch` throws them. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** The HTTP status. */
  readonly status: number;
  /** What the service says about it. */
  readonly detail: string;
  /** In seconds; null unless the service says when to try again. */
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

/** Whatever stands between client and service may answer with something that is not ours. */
function detailIn(text: string): string | null {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null && 'detail' in body ? String(body.detail) : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
