/** Why something was refused, beside the form. */
export function Refusal({ reason }: { readonly reason: string | null }) {
  return (
    <div role="alert">
      {reason !== null && (
        <p class="refusal" dir="auto">
          {reason}
        </p>
      )}
    </div>
  );
}
