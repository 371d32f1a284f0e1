/** What a thread of the service under test reports about its V8. */
export interface HeapReport {
  readonly thread: number;
  readonly heapBytes: number;
  /** Memory outside the heap that objects in it keep, such as the bytes of requests. */
  readonly bufferBytes: number;
}

/** The variable that names the file for the reports. */
export const HEAP_REPORTS = 'SOAK_HEAP_REPORTS';

/** How often memory is read, here and in the threads. */
export const SAMPLE_MS = 5_000;
