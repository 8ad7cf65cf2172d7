import { Typography } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import Markdown from 'react-markdown'
import { useParams } from 'wouter'
import { PageLink } from '../../parts/link.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Page } from '../../parts/page.tsx'
import { runbooks } from './runbooks.ts'

/** One runbook, rendered from its Markdown without the HTML in it. */
export default function RunbookPage() {
  const { name } = useParams<{ name: string }>()
  const read = runbooks.get(name)
  return read ? <Runbook key={name} name={name} read={read} /> : <NoRunbook name={name} />
}

const AllRunbooks = () => <PageLink to="/runbooks">See all runbooks</PageLink>

const NoRunbook = ({ name }: { name: string }) => (
  <Page
    title="There is no runbook of this name"
    about={
      <>
        This version of Lettergate has no runbook <code>{name}</code>. <AllRunbooks />.
      </>
    }
  />
)

function Runbook({ name, read }: { name: string; read: () => Promise<string> }) {
  const answer = useQuery({ queryKey: ['runbook', name], queryFn: read })
  const [, title = name, text = ''] = /^# (.*)\n([^]*)$/.exec(answer.data ?? '') ?? []
  return (
    <Page
      title={title}
      about={
        <>
          The runbook <code>docs/runbooks/{name}.md</code>. <AllRunbooks />.
        </>
      }
    >
      <Loaded answer={answer}>
        {() => (
          <Typography maw="46rem">
            <Markdown components={{ a: RunbookLink, pre: CodeBlock }}>{text}</Markdown>
          </Typography>
        )}
      </Loaded>
    </Page>
  )
}

const CodeBlock = ({ children }: { children?: ReactNode }) => <pre className="code-block">{children}</pre>

/** A link to another runbook. The console does not serve the other files of the repository: their path is shown. */
function RunbookLink({ href = '', children }: { href?: string; children?: ReactNode }) {
  const { protocol, pathname } = new URL(href, 'file:///docs/runbooks/')
  const [, name = ''] = /^\/docs\/runbooks\/(\w+)\.md$/.exec(pathname) ?? []
  if (protocol === 'https:')
    return (
      <a className="link" href={href} target="_blank" rel="noreferrer">
        {children}
      </a>
    )
  if (runbooks.has(name)) return <PageLink to={`/runbooks/${name}`}>{children}</PageLink>
  return (
    <>
      {children} (<code>{pathname.slice(1)}</code>)
    </>
  )
}
