import { Select, SimpleGrid, TagsInput } from '@mantine/core'
import { useTags } from '../../session/use-lists.ts'
import { consequenceOf, defaultStatuses, type RowsGiven } from './default-status.ts'

interface Props {
  rows: RowsGiven
  tags: unknown
  /** the keys of the policy that change; `null` clears the value of the profile */
  onChange: (changed: Record<string, unknown>) => void
}

const choices = Object.entries(defaultStatuses).map(([value, label]) => ({ value, label }))
const tagsMost = 50

/** What the policy says of rows beyond their cells: the status of rows without one, and tags for every contact. */
export function PolicyOfRows({ rows, tags, onChange }: Props) {
  const known = useTags()
  const { status, hasStatusColumn } = rows
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} style={{ alignItems: 'end' }}>
      <Select
        label={hasStatusColumn ? 'What an empty status means' : 'What every row means'}
        description={`${consequenceOf(rows)}${hasStatusColumn ? ' A status that nobody can interpret is never consent.' : ''}`}
        allowDeselect={false}
        data={choices}
        value={status}
        onChange={(next) => onChange({ default_status: next === '' ? null : next })}
      />
      <TagsInput
        label="Tags for every contact"
        description="Added to all contacts of the file, also to those without consent. A tag subscribes nobody."
        data={(known.data?.tags ?? []).map((tag) => tag.name)}
        maxTags={tagsMost}
        value={Array.isArray(tags) ? tags.map(String) : []}
        onChange={(next) => onChange({ static_tags: next.length === 0 ? null : next })}
      />
    </SimpleGrid>
  )
}
