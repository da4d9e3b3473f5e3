// A small conforming Flow A client: one user message, every tool call answered, the final answer printed.
//
//     wiretape check -- node tests/examples/clients/flow_a_client.mjs
//
// The checker sets the environment variables that main() reads. It needs Node 18 or newer and nothing else;
// its decoder is flow_a_stream.mjs beside it.

import { randomUUID } from 'node:crypto'
import { Deltas, events } from './flow_a_stream.mjs'

// What it can do by itself, where the checker names no tools: wiretape check --cassette auto
const TEXT = { description: 'A text.', type: 'string' }
const OWN_TOOLS = [
  {
    description: 'Keeps a note, and says it again.',
    name: 'note',
    params: [
      { name: 'message', required: true, type: TEXT },
      { name: 'folder', required: false, type: TEXT },
    ],
    type: 'kwargs',
  },
  {
    description: 'Goes on in Work mode.',
    name: 'handoff',
    params: ['prompt', 'reason'].map((name) => ({ name, required: true, type: TEXT })),
    type: 'kwargs',
  },
]
const OWN_RESULTS = { handoff: { accepted: true, thread_id: 'work-1' } }

class Client {
  conversation = {} // { conversation_id }, once the server has given one
  conduitToken = 'no-token'

  constructor(baseUrl, tools, results) {
    Object.assign(this, { baseUrl, tools, results })
  }

  /** Send a user message, answer every tool call that follows, return the final answer. */
  async ask(text) {
    const messages = await this.request(message('user', null, null, { content_type: 'text', parts: [text] }))
    const answered = new Set()
    for (;;) {
      const call = [...messages.values()].find((each) => this.isCall(each) && !answered.has(each.id))
      if (!call) return [...messages.values()].map(answerText).findLast((answer) => answer) ?? ''
      answered.add(call.id)
      const answers = await this.request(this.toolReturn(call), { parent_message_id: call.id })
      for (const [id, each] of answers) messages.set(id, each)
    }
  }

  isCall(received) {
    const name = toolName(received)
    return this.tools.some((tool) => tool.name === name)
  }

  /** Run the tool and wrap its result. The call's id is the id of the message that brought it. */
  toolReturn(call) {
    const tool = toolName(call)
    const result = this.results[tool] ?? { message: JSON.parse(call.content.text).message }
    const text = JSON.stringify({ call_id: call.id, result, tool })
    const metadata = { is_visually_hidden_from_conversation: true }
    return message('tool', tool, 'commentary', { content_type: 'code', text }, metadata)
  }

  /** Fetch a challenge, prepare, send one message, read the answer to its end: messages by id. */
  async request(newMessage, parent = {}) {
    const challenge = await (await this.fetch('ios/attestation_challenge')).json()
    const body = {
      action: 'next',
      model: 'gpt-5-6-thinking',
      thinking_effort: 'standard',
      timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      timezone_offset_min: new Date().getTimezoneOffset(),
      local_function_signatures: this.tools,
      ...this.conversation,
    }
    const prepared = await this.prepare({ ...body, client_prepare_state: 'sent' })
    const whole = {
      ...body,
      ...parent,
      messages: [newMessage],
      supported_encodings: ['v1'],
      client_prepare_state: prepared ? 'success' : 'failure',
      app_attest_challenge: challenge.attestation_challenge,
    }
    const headers = prepared ? { 'x-conduit-token': this.conduitToken } : {}
    const response = await this.fetch('f/conversation', whole, headers)
    this.conduitToken = response.headers.get('x-conduit-token') ?? this.conduitToken
    const type = response.headers.get('content-type') ?? ''
    if (!type.startsWith('text/event-stream')) throw new Error(`expected an event stream, got ${type}`)
    return this.read(response.body)
  }

  /** Announce the request. A failure is not fatal: the conversation request then says so. */
  async prepare(body) {
    const headers = { 'x-conduit-token': this.conduitToken }
    const response = await this.fetch('f/conversation/prepare', body, headers).catch(() => null)
    if (response) this.conduitToken = (await response.json()).conduit_token
    return response !== null
  }

  /** Read the stream to its end, also when the answer looks complete before. */
  async read(body) {
    const messages = new Map()
    let deltas = new Deltas()
    let done = false
    for await (const { name, data } of events(body)) {
      done ||= data.trim() === '[DONE]'
      if (name === 'delta_encoding') deltas = new Deltas()
      if (!['delta', 'message'].includes(name) || !data.startsWith('{')) continue
      const payload = JSON.parse(data)
      if (payload.type === 'stream_handoff') {
        throw new Error('the turn goes on elsewhere (stream_handoff), and this client does not follow')
      }
      const envelope = name === 'delta' ? deltas.push(payload) : payload
      if (envelope?.error) throw new Error(`the stream reports an error: ${JSON.stringify(envelope.error)}`)
      if (envelope?.conversation_id) this.conversation = { conversation_id: envelope.conversation_id }
      if (envelope?.message) messages.set(envelope.message.id, envelope.message)
    }
    if (!done) throw new Error('the stream ended before [DONE]: the answer is not complete')
    return messages
  }

  async fetch(path, body, headers = {}) {
    const options = body && {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    }
    const response = await fetch(`${this.baseUrl}/backend-api/${path}`, options)
    if (!response.ok) throw new Error(`${path} -> ${response.status}: ${await response.text()}`)
    return response
  }
}

function message(role, name, channel, content, metadata = {}) {
  return {
    id: randomUUID(),
    author: { role, name, metadata: {} },
    create_time: Date.now() / 1000,
    update_time: null,
    content,
    status: 'finished_successfully',
    end_turn: null,
    weight: 1,
    metadata,
    recipient: 'all',
    channel,
  }
}

/** The bare name of the tool that a message calls; web.run and the like are the server's, not ours. */
function toolName({ author, recipient }) {
  return author.role === 'assistant' ? /^(?:local|functions)\.(.+)$/s.exec(recipient)?.[1] : undefined
}

/** The text that a user should see, empty for calls, thoughts and hidden messages. */
function answerText({ author, recipient, channel, content, metadata }) {
  const answers = author.role === 'assistant' && recipient === 'all' && ['final', null].includes(channel)
  if (!answers || metadata.is_visually_hidden_from_conversation) return ''
  return content.content_type === 'text' ? content.parts.join('') : ''
}

function setting(name) {
  if (name in process.env) return process.env[name]
  throw new Error(`${name} is not set; run this under: wiretape check -- COMMAND`)
}

async function main() {
  const named = JSON.parse(setting('WIRETAPE_TOOLS'))
  const results = { ...OWN_RESULTS, ...JSON.parse(setting('WIRETAPE_TOOL_RESULTS')) }
  const client = new Client(setting('WIRETAPE_BASE_URL'), named.length ? named : OWN_TOOLS, results)
  console.log(await client.ask(setting('WIRETAPE_USER_MESSAGE')))
}

main().catch((error) => {
  console.error(`flow_a_client: ${error.cause ?? error.message}`)
  process.exitCode = 1
})
