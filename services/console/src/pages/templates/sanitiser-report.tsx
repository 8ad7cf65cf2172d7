import type { StoredContentVersion } from '@lettergate/client/console'
import { Alert, Code, Group, List, Text } from '@mantine/core'
import { Facts, Section } from '../../parts/section.tsx'
import { counted } from '../../parts/words.ts'
import { warningsOf } from './warnings.ts'

type Validation = StoredContentVersion['validation']

const kinds = [
  ['tags', 'Elements'],
  ['attributes', 'Attributes'],
  ['css_properties', 'CSS properties'],
  ['protocols', 'Protocols of links'],
] as const

/** What the sanitiser removed, and what the author should look at. */
export const SanitiserReport = ({ validation }: { validation: Validation }) => (
  <Section title="What was checked">
    {!validation.valid && (
      <Alert color="red" title="Nothing visible is left">
        This version cannot be sent. Write another one.
      </Alert>
    )}
    <Removed stripped={validation.stripped} />
    {validation.review_warnings.length > 0 && (
      <div>
        <Text fw={600} size="sm">
          Look at this
        </Text>
        <List size="sm">
          {warningsOf(validation.review_warnings).map((text) => (
            <List.Item key={text}>{text}</List.Item>
          ))}
        </List>
      </div>
    )}
    {validation.missing_defaults.length > 0 && (
      <Text size="sm">
        Without a default, these are empty for a person without a value: {validation.missing_defaults.join(', ')}.
      </Text>
    )}
    <Facts
      of={[
        ['Unsubscribe link', validation.unsubscribe_present ? 'visible' : 'missing'],
        ['Links', counted(validation.links, 'link')],
        ['Images', counted(validation.images, 'image')],
        ['Plain text', validation.plain_text_generated ? 'made from the HTML' : 'written by the author'],
        ['Tokens', validation.tokens.join(', ')],
      ]}
    />
  </Section>
)

function Removed({ stripped }: { stripped: Validation['stripped'] }) {
  const removed = kinds.filter(([kind]) => stripped[kind].length > 0)
  if (removed.length === 0) return <Text size="sm">Nothing was removed.</Text>
  return (
    <div>
      <Text fw={600} size="sm">
        Removed, because it is not safe in email
      </Text>
      <List size="sm" aria-label="What was removed">
        {removed.map(([kind, title]) => (
          <List.Item key={kind}>
            <Group gap={6} component="span">
              {title}:
              {stripped[kind].map((name) => (
                <Code key={name}>{name}</Code>
              ))}
            </Group>
          </List.Item>
        ))}
      </List>
    </div>
  )
}
