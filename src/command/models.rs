use std::io::{self, Write};

use clap::Args;
use clap_complete::ArgValueCandidates;
use serde_json::{Value, json};

use crate::app::App;
use crate::complete;
use crate::error::Error;
use crate::models::registry;
use crate::options::JsonOption;
use crate::palette::FAINT;
use crate::table::{Cell, Column, Table};
use crate::ui::Ui;
use crate::visible::visible;
use ctx_core::models::Model;
use ctx_core::words::grouped;

/// List the models that --model knows, with their windows and tokenizers
///
/// Your own models, from models.json in the store's directory, come first. A factor with `~` is a cautious
/// estimate: how many tokens of the model equal one token of o200k, in code and in prose in Latin letters. Other
/// scripts have their own factors. Give a NAME, in any spelling that --model accepts, to see them and
/// everything else about a model. A NAME that is part of several names, such as `sonnet`, lists those models.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  ctx models                      list all models
  ctx models claude-sonnet-4.5    show one, with the sources of its figures
  ctx models sonnet               list models with 'sonnet' in the name
  ctx models --json | jq -r '.models[] | select(.window >= 1000000) | .name'

A models.json, in which only name and window are needed:
  {\"models\": [
    {\"name\": \"my-model\", \"window\": 32768},
    {\"name\": \"other\", \"window\": 128000, \"tokenizer\": \"cl100k\", \"factor\": 1.2, \"aliases\": [\"o\"]},
    {\"name\": \"new\", \"window\": 128000, \"factors\": {\"Latin\": 1.4, \"symbols\": 1.2, \"other\": 3}}
  ]}")]
pub struct Models {
    /// Show everything about this model, or list the models whose names contain this
    #[arg(value_name = "NAME", add = ArgValueCandidates::new(complete::models))]
    name: Option<String>,

    #[command(flatten)]
    json: JsonOption,
}

fn as_json(model: &Model) -> Value {
    let mut row = json!({
        "name": model.name,
        "provider": model.provider,
        "own": model.own,
        "window": model.window,
        "tokenizer": model.tokenizer.to_string(),
        "factor": model.counter().usual_factor(),
    });
    if let Some(factors) = model.tokenizer.factors() {
        row["factors"] = json!(factors);
    }
    row["estimated"] = model.is_estimate().into();
    row["basis"] = model.basis.as_str().into();
    row["factor_source"] = model.factor_source.as_str().into();
    row["source"] = model.source.as_str().into();
    row["date"] = model.date.as_str().into();
    row["aliases"] = json!(model.aliases);
    row
}

impl Models {
    /// Prints the registry.
    pub fn run(self, app: &App) -> Result<(), Error> {
        app.check_named()?;
        let models = self.models(app)?;
        match (&self.name, models.as_slice()) {
            _ if self.json.json => {
                let models: Vec<Value> = models.iter().map(as_json).collect();
                app.ui.json(&json!({"version": 1, "models": models}))?;
            }
            (Some(_), [model]) => app.ui.data(|out| write_details(out, model, &app.ui))?,
            (Some(_) | None, models) => app.ui.data(|out| write_table(out, models, &app.ui))?,
        }
        Ok(())
    }

    /// All models, the named one, or those whose names contain the text.
    fn models(&self, app: &App) -> Result<Vec<Model>, Error> {
        let registry = registry(&app.store)?;
        let Some(name) = &self.name else { return Ok(own_first(registry.models())) };
        let unknown = match registry.find(name) {
            Ok(model) => return Ok(vec![model.clone()]),
            Err(unknown) => unknown,
        };
        let matched: Vec<Model> = registry.with_part(name).into_iter().cloned().collect();
        if matched.is_empty() { Err(unknown.into()) } else { Ok(own_first(&matched)) }
    }
}

fn own_first(models: &[Model]) -> Vec<Model> {
    let mut models = models.to_vec();
    models.sort_by_key(|model| !model.own);
    models
}

fn write_table(out: &mut impl Write, models: &[Model], ui: &Ui) -> io::Result<()> {
    let mut table = Table::new([
        Column::path("name", 1),
        Column::number("window"),
        Column::words("tokenizer"),
        Column::number("factor"),
        Column::spare("provider"),
    ]);
    for model in models {
        table.add([
            Cell::plain(visible(&model.name)),
            Cell::plain(grouped(model.window)),
            Cell::plain(model.tokenizer),
            Cell::plain(factor(model)),
            Cell::plain(visible(&model.provider)),
        ]);
    }
    table.write(out, ui)
}

fn factor(model: &Model) -> String {
    format!("{}{}", if model.is_estimate() { "~" } else { "" }, model.counter().usual_factor())
}

/// Factors by script on one line, the one for text in Latin letters first.
fn of_scripts(model: &Model) -> String {
    let Some(factors) = model.tokenizer.factors() else { return String::new() };
    let (first, rest): (Vec<_>, Vec<_>) =
        factors.into_iter().partition(|(script, _)| ["Latin", "accented", "symbols"].contains(script));
    let told: Vec<String> =
        first.into_iter().chain(rest).map(|(script, factor)| format!("{script} {factor}")).collect();
    told.join(", ")
}

fn write_details(out: &mut impl Write, model: &Model, ui: &Ui) -> io::Result<()> {
    let dated = |source: &str| match (source, model.date.as_str()) {
        ("", date) => date.to_owned(),
        (source, "") => source.to_owned(),
        (source, date) => format!("{source}, {date}"),
    };
    let rows = [
        ("name", model.name.clone()),
        ("provider", model.provider.clone()),
        ("window", grouped(model.window)),
        ("tokenizer", model.tokenizer.to_string()),
        ("factor", format!("{} ({})", factor(model), model.basis.as_str())),
        ("by script", of_scripts(model)),
        ("aliases", model.aliases.join(", ")),
        ("window from", dated(&model.source)),
        ("factor from", model.factor_source.clone()),
    ];
    let mut table = Table::new([Column::words(""), Column::text("")]).without_heading();
    for (key, value) in rows.iter().filter(|(_, value)| !value.is_empty()) {
        table.add([Cell::new(key, FAINT), Cell::plain(visible(value))]);
    }
    table.write(out, ui)
}
