//! Models and what serves them.

use super::super::bytes::{Alphabet, Quality};
use super::super::prefixed;
use super::super::rules::Body;
use super::{Kind, Row, assigned, custom, row, tokens};

/// Models and what serves them.
pub(super) const ROWS: &[Row] = &[
    row!(
        OpenaiApiKey,
        source: "https://platform.openai.com/docs/api-reference/authentication",
        rules: [tokens(&["sk-proj-", "sk-svcacct-", "sk-admin-", "sk-None-"], Body::from(20, Alphabet::URL_SAFE, Quality::Dense)), tokens(&["sk-"], Body::from(32, Alphabet::ALNUM, Quality::Digits))],
        examples: ["sk-{alnum 48}", "sk-proj-{url 156}", "sk-svcacct-{url 156}", "sk-admin-{url 120}", "sk-{hex 32}"],
        harmless: [".sk-fading-circle .sk-circle12:before { } .sk-cube-grid { } .sk-admin-panel-button-large-primary { }", "sk-proj-... sk-your-api-key-goes-here sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"],
    ),
    row!(
        AnthropicApiKey,
        source: "https://docs.anthropic.com/en/api/overview",
        rules: [custom(&["sk-ant-"], prefixed::anthropic_key)],
        examples: ["sk-ant-api03-{url 95}", "sk-ant-admin01-{url 95}", "sk-ant-oat01-{url 95}"],
        harmless: ["sk-ant-... sk-ant-api03-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "sk-ant-your-api-key-goes-here-please"],
    ),
    row!(
        OpenrouterApiKey,
        source: "https://openrouter.ai/docs/api-reference/authentication",
        rules: [tokens(&["sk-or-v1-"], Body::from(40, Alphabet::HEX, Quality::Any))],
        examples: ["sk-or-v1-{hex 64}"],
        harmless: ["sk-or-v1-..."],
    ),
    row!(
        LangfuseKey,
        source: "https://langfuse.com/docs/api-and-data-platform/features/public-api",
        rules: [tokens(&["sk-lf-"], Body::from(32, Alphabet::HEX.or(Alphabet::of(b"-")), Quality::Random))],
        examples: ["sk-lf-{hex 8}-{hex 4}-{hex 4}-{hex 4}-{hex 12}"],
        harmless: ["sk-lf-..."],
    ),
    row!(
        GroqApiKey,
        source: "https://console.groq.com/docs/quickstart",
        rules: [tokens(&["gsk_"], Body::from(40, Alphabet::ALNUM, Quality::Any))],
        examples: ["gsk_{alnum 52}"],
        harmless: ["gsk_ gsk_api_key"],
    ),
    row!(
        XaiApiKey,
        source: "https://docs.x.ai/docs/overview",
        rules: [tokens(&["xai-"], Body::from(60, Alphabet::ALNUM, Quality::Any))],
        examples: ["xai-{alnum 80}"],
        harmless: ["xai-api-key"],
    ),
    row!(
        PerplexityApiKey,
        source: "https://docs.perplexity.ai/getting-started",
        rules: [tokens(&["pplx-"], Body::from(40, Alphabet::ALNUM, Quality::Any))],
        examples: ["pplx-{alnum 48}"],
        harmless: ["pplx-70b-online"],
    ),
    row!(
        ReplicateToken,
        source: "https://replicate.com/docs/topics/security/api-tokens",
        rules: [tokens(&["r8_"], Body::of(37, Alphabet::ALNUM, Quality::Any))],
        examples: ["r8_{alnum 37}"],
        harmless: ["r8_unorm r8_snorm"],
    ),
    row!(
        HuggingFaceToken,
        source: "https://huggingface.co/docs/hub/security-tokens",
        rules: [tokens(&["hf_"], Body::from(34, Alphabet::ALNUM, Quality::Any)), tokens(&["api_org_"], Body::from(34, Alphabet::ALNUM, Quality::Any))],
        examples: ["hf_{alnum 34}", "api_org_{alnum 34}"],
        harmless: ["hf_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx hf_hub_download api_org_members"],
    ),
    row!(
        NvidiaApiKey,
        source: "https://docs.nvidia.com/nim/large-language-models/latest/getting-started.html",
        rules: [tokens(&["nvapi-"], Body::from(40, Alphabet::URL_SAFE, Quality::AllThree))],
        examples: ["nvapi-{url 64}"],
        harmless: ["nvapi-your-key-goes-here-or-in-the-environment"],
    ),
    row!(
        CerebrasApiKey,
        source: "https://inference-docs.cerebras.ai/quickstart",
        rules: [tokens(&["csk-"], Body::from(40, Alphabet::ALNUM, Quality::Random))],
        examples: ["csk-{lower 48}"],
        harmless: ["csk-key"],
    ),
    row!(
        PineconeApiKey,
        source: "https://docs.pinecone.io/guides/projects/manage-api-keys",
        rules: [tokens(&["pcsk_"], Body::from(40, Alphabet::URL_SAFE, Quality::AllThree))],
        examples: ["pcsk_{alnum 6}_{alnum 63}"],
        harmless: ["pcsk_key"],
    ),
    row!(
        TavilyApiKey,
        source: "https://docs.tavily.com/documentation/quickstart",
        rules: [tokens(&["tvly-"], Body::from(28, Alphabet::URL_SAFE, Quality::AllThree))],
        examples: ["tvly-{alnum 32}", "tvly-dev-{alnum 32}"],
        harmless: ["tvly-YOUR_API_KEY tvly-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"],
    ),
    row!(
        LangsmithKey,
        source: "https://docs.smith.langchain.com/administration/how_to_guides/organization_management/create_account_api_key",
        rules: [tokens(&["lsv2_pt_", "lsv2_sk_"], Body::from(32, Alphabet::HEX.or(Alphabet::of(b"_")), Quality::Random))],
        examples: ["lsv2_pt_{hex 32}_{hex 10}", "lsv2_sk_{hex 32}_{hex 10}"],
        harmless: ["lsv2_pt_..."],
    ),
    row!(
        FirecrawlApiKey,
        source: "https://docs.firecrawl.dev/introduction",
        rules: [tokens(&["fc-"], Body::of(32, Alphabet::HEX, Quality::Mixed))],
        examples: ["fc-{hex 32}"],
        harmless: ["fc-list fc-YOUR_API_KEY"],
    ),
    row!(
        JinaApiKey,
        source: "https://jina.ai/embeddings/",
        rules: [tokens(&["jina_"], Body::from(50, Alphabet::URL_SAFE, Quality::AllThree))],
        examples: ["jina_{hex 32}{url 28}"],
        harmless: ["jina_embeddings_v3"],
    ),
    row!(
        LlamaCloudKey,
        source: "https://docs.cloud.llamaindex.ai/llamacloud/getting_started/api_key",
        rules: [tokens(&["llx-"], Body::from(40, Alphabet::ALNUM, Quality::AllThree))],
        examples: ["llx-{alnum 48}"],
        harmless: ["llx-..."],
    ),
    row!(
        WeightsAndBiasesKey,
        source: "https://docs.wandb.ai/guides/track/environment-variables/",
        rules: [assigned(&["WANDB_API_KEY", "wandb_api_key"], Body::from(40, Alphabet::HEX, Quality::Mixed))],
        examples: ["WANDB_API_KEY=«{hex 40}»"],
        harmless: ["WANDB_API_KEY=$KEY"],
    ),
];
