import { RoleNote } from '../../session/role-note.tsx'
import { ChoiceFilter, Filters, TextFilter } from '../../parts/filters.tsx'
import { Page } from '../../parts/page.tsx'
import { SuppressionFilters } from '../../parts/suppression-filters.tsx'
import { SuppressionsTable } from './suppressions-table.tsx'

/** Who is not mailed any more, why, and how that ends. */
export default function SuppressionsPage() {
  return (
    <Page
      title="Suppressions"
      about="People who must not be mailed, whatever they agreed to. Each has a reason, and only a person with a good reason resolves it."
    >
      <RoleNote needs="resolve_suppressions" />
      <Filters>
        <TextFilter name="search" label="Address" placeholder="ada@ or @example.org" />
        <ChoiceFilter name="scope" label="Scope" choices={['audience', 'workspace', 'platform']} />
        <SuppressionFilters />
      </Filters>
      <SuppressionsTable />
    </Page>
  )
}
