import { ChoiceFilter } from './filters.tsx'

/** The filters that both lists of suppressions have. */
export const SuppressionFilters = () => (
  <>
    <ChoiceFilter
      name="reason"
      label="Reason"
      choices={['hard_bounce', 'complaint', 'unsubscribe', 'manual', 'import', 'legal', 'other']}
    />
    <ChoiceFilter name="state" label="State" choices={['unresolved', 'resolved']} />
  </>
)
