import type { ConsentPolicy, MappingProfilesResponse } from '@lettergate/client'
import { Select, SimpleGrid, TagsInput } from '@mantine/core'
import { useTags } from '../../session/use-lists.ts'
import { consequenceOf, defaultStatuses, isDefaultStatus, type DefaultStatus } from './default-status.ts'

interface Props {
  /** the keys of the policy that this form changes; `null` clears the value of the profile */
  given: Readonly<Record<string, unknown>>
  profile: MappingProfilesResponse['profiles'][number] | undefined
  policy: ConsentPolicy
  hasStatusColumn: boolean
  onChange: (changed: Record<string, unknown>) => void
}

const choices = Object.entries(defaultStatuses).map(([value, label]) => ({ value, label }))
const tagsMost = 50

/** What the policy says of rows beyond their cells: the status of rows without one, and tags for every contact. */
export function PolicyOfRows({ given, profile, policy, hasStatusColumn, onChange }: Props) {
  const known = useTags()
  const valueOf = (key: 'default_status' | 'static_tags'): unknown => (key in given ? given[key] : profile?.policy[key])
  const chosen = valueOf('default_status')
  const status: DefaultStatus = isDefaultStatus(chosen) ? chosen : ''
  const tags = valueOf('static_tags')
  const isStatusLeftOut = Object.values(profile?.mapping ?? {}).includes('status') && !hasStatusColumn
  const consequence = consequenceOf({ status, policy, hasStatusColumn, isStatusLeftOut })
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} style={{ alignItems: 'end' }}>
      <Select
        label={hasStatusColumn ? 'What an empty status means' : 'What every row means'}
        description={`${consequence}${hasStatusColumn ? ' A status that nobody can interpret is never consent.' : ''}`}
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
