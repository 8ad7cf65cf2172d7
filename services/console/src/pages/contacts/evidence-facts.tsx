import { Moment } from '../../parts/moment.tsx'
import { Facts } from '../../parts/section.tsx'
import { labelledValuesOf } from './labelled-values.ts'

/** The evidence of a consent: free values, each with its name. */
export const EvidenceFacts = ({ evidence }: { evidence: Record<string, unknown> }) => (
  <div role="group" aria-label="Evidence">
    <Facts
      of={labelledValuesOf(evidence).map(
        ({ label, text, isMoment }) => [label, isMoment ? <Moment key={label} at={text} /> : text] as const,
      )}
    />
  </div>
)
