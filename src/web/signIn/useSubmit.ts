import { useState } from 'preact/hooks';
import { reasonOf } from '../state/notices.js';

export interface Submitting {
  readonly isBusy: boolean;
  /** Why the last attempt was refused. */
  readonly refusal: string | null;
  submit(event: Event): void;
}

/** A form whose submission may be refused. */
export function useSubmit(work: (form: HTMLFormElement) => Promise<void>): Submitting {
  const [isBusy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<string | null>(null);
  const run = async (form: HTMLFormElement): Promise<void> => {
    setBusy(true);
    setRefusal(null);
    try {
      await work(form);
    } catch (error) {
      setRefusal(reasonOf(error));
    } finally {
      setBusy(false);
    }
  };
  return {
    isBusy,
    refusal,
    submit: (event) => {
      event.preventDefault();
      if (!isBusy && event.currentTarget instanceof HTMLFormElement) void run(event.currentTarget);
    },
  };
}
