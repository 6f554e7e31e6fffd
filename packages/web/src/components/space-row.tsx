/** Room for the rows of a long table that are not drawn. */
export function SpaceRow({ height, columns }: { height: number; columns: number }) {
  if (height <= 0) return undefined;
  return (
    <tr aria-hidden data-space>
      <td colSpan={columns} style={{ height, padding: 0, border: 0 }} />
    </tr>
  );
}
