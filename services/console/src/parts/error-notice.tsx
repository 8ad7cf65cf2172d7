import { LettergateError } from '@lettergate/client'
import { Alert, Button, Group, List, Text } from '@mantine/core'
import { CopyButton } from './copy-button.tsx'
import { PartMissing } from './lazy-part.ts'
import { PageLinkFromHere } from './link.tsx'
import { refusalInWords } from './refusals.ts'

const titles: Record<number, string> = {
  0: 'No answer arrived',
  403: 'Your role does not allow this',
  404: 'There is nothing here',
  409: 'It was changed in the meantime, or exists already',
  422: 'This request was refused',
  429: 'Too many requests',
  503: 'A part of the service does not answer',
}

const partMissing =
  'A part of the console could not be loaded: the network failed, or a new release replaced it. Try again; the page is loaded anew.'

const withPage = (line: string, page: string | undefined) => (
  <>
    {line}
    {page && <PageLinkFromHere before=" See " path={page} after="." />}
  </>
)

/** Says what happened and what to do, with the reference for support. `inWords` says a problem of a field as the form would. */
export function ErrorNotice({
  error,
  onRetry,
  isRetrying = false,
  inWords,
}: {
  error: unknown
  onRetry?: () => void
  /** the answer of `onRetry` is on its way */
  isRetrying?: boolean
  inWords?: ((problem: string) => string) | undefined
}) {
  const failure = error instanceof LettergateError ? error.failure : null
  const isMissing = error instanceof PartMissing
  const { title, lines, pages, page } = failure
    ? refusalInWords(failure.reason, failure.message, inWords)
    : {
        title: undefined,
        lines: [isMissing ? partMissing : 'The page made an error. Reload it, and try again.'],
        pages: undefined,
        page: undefined,
      }
  const status = isMissing ? 0 : failure?.status
  return (
    <Alert
      color="red"
      title={title || (status !== undefined && titles[status]) || 'This did not work'}
      role="alert"
      my="md"
    >
      {lines.length === 1 ? (
        <Text size="sm">{withPage(lines[0]!, pages?.[0])}</Text>
      ) : (
        <List size="sm">
          {lines.map((line, index) => (
            <List.Item key={line}>{withPage(line, pages?.[index])}</List.Item>
          ))}
        </List>
      )}
      {page && (
        <Text size="sm" mt={4}>
          <PageLinkFromHere before="See " path={page} after="." />
        </Text>
      )}
      <Group mt="sm" gap="sm">
        {onRetry && (
          <Button size="compact-sm" variant="default" aria-busy={isRetrying} onClick={onRetry}>
            {isRetrying ? 'Trying again…' : 'Try again'}
          </Button>
        )}
        {failure && (
          <Group gap={6}>
            <Text size="xs">
              Reference: <code>{failure.correlationId}</code>
            </Text>
            <CopyButton value={failure.correlationId} of="the reference" />
          </Group>
        )}
      </Group>
    </Alert>
  )
}
