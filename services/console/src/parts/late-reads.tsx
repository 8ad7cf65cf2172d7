import { LateAnswer } from './page.tsx'

/** Says after some seconds that one of these reads has no answer yet. Their place shows … meanwhile. */
export const LateReads = ({ of }: { of: readonly { data: unknown; error: unknown }[] }) =>
  of.some(({ data, error }) => data === undefined && !error) && (
    <div role="status" aria-label="Loading" style={{ display: 'contents' }}>
      <LateAnswer />
    </div>
  )
