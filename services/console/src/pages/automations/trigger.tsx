import type { AutomationDefinition } from '@lettergate/client'
import { Select } from '@mantine/core'
import { Section } from '../../parts/section.tsx'
import { triggerInWords } from './node-words.ts'
import { textOf, withPresent, type StepChoices } from './step-fields.ts'

const enrolling = [
  { value: 'audience_subscribed', label: 'Somebody joins an audience' },
  { value: 'tag_added', label: 'A tag is added' },
  { value: 'tag_removed', label: 'A tag is removed' },
]

/** What enrols people. A trigger that enrols nobody yet is shown and kept. */
export function Trigger({
  definition,
  choices,
  onChange,
}: {
  definition: AutomationDefinition
  choices: StepChoices
  onChange: (definition: AutomationDefinition) => void
}) {
  const { trigger } = definition
  const { type, config } = trigger
  const entry = type === 'audience_subscribed' ? 'audience_id' : 'tag'
  const isKnown = enrolling.some(({ value }) => value === type)
  const value = textOf(config[entry])
  const offered = entry === 'tag' ? choices.tags : choices.audiences
  const set = (changed: Partial<typeof trigger>) => onChange({ ...definition, trigger: { ...trigger, ...changed } })
  return (
    <Section title="It begins when">
      <Select
        label="Event"
        allowDeselect={false}
        data={isKnown ? enrolling : [...enrolling, { value: type, label: triggerInWords(trigger, choices.names) }]}
        value={type}
        onChange={(next) => set({ type: next as typeof type, config: {} })}
      />
      {isKnown && (
        <Select
          label={entry === 'tag' ? 'Its tag' : 'Its audience'}
          searchable={offered.length > 8}
          data={[...withPresent(offered, value, choices.names)]}
          value={value || null}
          onChange={(next) => set({ config: { ...config, [entry]: next ?? '' } })}
        />
      )}
    </Section>
  )
}
