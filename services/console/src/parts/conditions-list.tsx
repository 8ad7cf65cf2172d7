import { Group, List, Text, ThemeIcon } from '@mantine/core'
import { PageLink } from './link.tsx'
import { Moment } from './moment.tsx'

export interface CheckedCondition {
  title: string
  /** null if the user cannot know it */
  holds: boolean | null
  /** what was found */
  evidence: string | Date
  /** the page that changes it */
  fixAt?: string
}

/** Conditions with what was found, and where to fix the ones that do not hold. */
export const ConditionsList = ({
  conditions,
  label = 'Conditions',
}: {
  conditions: readonly CheckedCondition[]
  label?: string
}) => (
  <List spacing={6} size="sm" center listStyleType="none" type="ordered" aria-label={label}>
    {conditions.map(({ title, holds, evidence, fixAt }) => (
      <List.Item key={title}>
        <Group gap="xs" wrap="nowrap" align="flex-start">
          <ThemeIcon
            size={20}
            radius="xl"
            color={holds ? 'green.9' : 'orange.9'}
            variant="filled"
            role="img"
            aria-label={holds ? 'Holds' : holds === null ? 'Not known' : 'Missing'}
          >
            {holds ? '✓' : holds === null ? '?' : '!'}
          </ThemeIcon>
          <Text size="sm" component="div">
            {title}.{' '}
            <Text span inherit c="dimmed">
              {evidence instanceof Date ? <Moment at={evidence.toISOString()} /> : evidence}
            </Text>{' '}
            {!holds && fixAt && <PageLink to={fixAt}>Fix it</PageLink>}
          </Text>
        </Group>
      </List.Item>
    ))}
  </List>
)
