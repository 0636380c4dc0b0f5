# frozen_string_literal: true

require 'json'

module Shop
  # An order.
  class Order < Base
    attr_reader :number
    STATES = %w[open closed].freeze

    def initialize(number, items: [],
                   state: :open)
      @number = number
      @text = <<~TEXT
        def in_a_heredoc
      end
      TEXT
    end

    def self.[](key) = new(key)

    def number=(value)
      @number = value if value.positive? unless value.nil?
    end

    def open?; state == :open; end

    private def secret
      items.each do |item|
        puts item if item
      end
    end

    class << self
      def build(*args, &block)
        new(*args).tap { |order| order.instance_eval(&block) }
      end
    end
  end
end

describe Shop::Order do
  it 'has a number' do
    expect(Shop::Order.new(1).number).to eq(1)
  end
end
