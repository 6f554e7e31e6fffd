/** What is wrong with a field, and something free to take with one click. */
export function WithOffer(props: { error: string; offer: string | undefined; onTake: (free: string) => void }) {
  const { error, offer, onTake } = props;
  return (
    <>
      {error.replace(/\.$/, '')}.{' '}
      {offer && (
        <button
          type="button"
          className="font-medium text-accent underline underline-offset-2"
          onClick={() => onTake(offer)}
        >
          Use {offer}
        </button>
      )}
    </>
  );
}
